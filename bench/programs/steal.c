/* steal ROOTS ROUNDS: counts the nodes of an unbalanced binomial tree (as in
 * the Unbalanced Tree Search benchmark) by work stealing. The count does not
 * depend on who counted what; the messages do, from run to run.
 *
 * The end is found by a token that goes round (Dijkstra, Feijen, van
 * Gasteren 1983): a rank that gave work away turns black and blackens the
 * token. A rank with a request under way holds the token, so that no work
 * travels unseen. */
#include <mpi.h>

#include "bench.h"

enum { TAG_ASK = 1, TAG_WORK = 2, TAG_TOKEN = 3, TAG_DONE = 4 };
enum { GIVE_MOST = 64, BETWEEN_POLLS = 32, CHILDREN = 4, MOST_ROOTS = 100000 };

struct searcher {
	int rank, size, asked, black, has_token, token_black, done;
	long rounds, top, capacity;
	uint64_t *stack, nodes, seed, steals;
};

static void push(struct searcher *s, uint64_t node)
{
	if (s->top == s->capacity) {
		s->capacity = s->capacity ? 2 * s->capacity : 4096;
		s->stack = realloc(s->stack, (size_t)s->capacity * sizeof *s->stack);
	}
	s->stack[s->top++] = node;
}

/* A node has 4 children with probability just below 1/4: expected size 500. */
static void expand(struct searcher *s)
{
	uint64_t node = s->stack[--s->top], x = node;
	s->nodes++;
	for (long i = 0; i < s->rounds; i++)
		x = mix(x);
	if (mix(x) < (uint64_t)(0.2495 * 18446744073709551615.0))
		for (uint64_t i = 0; i < CHILDREN; i++)
			push(s, mix(x ^ (i + 1)));
}

static void answer(struct searcher *s, int thief)
{
	long give = s->top / 2 < GIVE_MOST ? s->top / 2 : GIVE_MOST;
	/* The oldest nodes, at the bottom, carry the largest trees. */
	MPI_Send(s->stack, (int)give, MPI_UINT64_T, thief, TAG_WORK, MPI_COMM_WORLD);
	if (give) {
		memmove(s->stack, s->stack + give, (size_t)(s->top - give) * sizeof *s->stack);
		s->top -= give;
		s->black = 1;
	}
}

static void receive_one(struct searcher *s, const MPI_Status *probed)
{
	uint64_t work[GIVE_MOST];
	int tag = probed->MPI_TAG, from = probed->MPI_SOURCE, count = 0, value = 0;
	MPI_Status status;
	if (tag == TAG_WORK) {
		MPI_Recv(work, GIVE_MOST, MPI_UINT64_T, from, tag, MPI_COMM_WORLD, &status);
		MPI_Get_count(&status, MPI_UINT64_T, &count);
		s->asked = 0;
		s->steals += count > 0;
		for (int i = 0; i < count; i++)
			push(s, work[i]);
		return;
	}
	MPI_Recv(&value, 1, MPI_INT, from, tag, MPI_COMM_WORLD, &status);
	if (tag == TAG_ASK)
		answer(s, from);
	else if (tag == TAG_DONE)
		s->done = 1;
	else {
		s->has_token = 1;
		s->token_black = value;
	}
}

static void pass_token(struct searcher *s)
{
	int colour = s->rank == 0 ? 0 : s->token_black || s->black;
	if (s->rank == 0 && !s->token_black && !s->black) {
		for (int r = 1; r < s->size; r++)
			MPI_Send(&colour, 1, MPI_INT, r, TAG_DONE, MPI_COMM_WORLD);
		s->done = 1;
		return;
	}
	MPI_Send(&colour, 1, MPI_INT, (s->rank + 1) % s->size, TAG_TOKEN, MPI_COMM_WORLD);
	s->black = s->has_token = 0;
}

static void idle(struct searcher *s)
{
	int nothing = 0;
	if (s->asked)
		return;
	if (s->has_token) {
		pass_token(s);
		return;
	}
	s->seed = mix(s->seed);
	int victim = (int)(s->seed % (uint64_t)(s->size - 1));
	MPI_Send(&nothing, 1, MPI_INT, victim + (victim >= s->rank), TAG_ASK, MPI_COMM_WORLD);
	s->asked = 1;
}

/* A rank that is done still answers the others; all leave together, when
 * nobody waits for an answer any more. */
static void search(struct searcher *s)
{
	MPI_Request leaving = MPI_REQUEST_NULL;
	int left = 0, leaves = 0;
	while (!left) {
		if (s->done && !s->asked && !leaves) {
			MPI_Ibarrier(MPI_COMM_WORLD, &leaving);
			leaves = 1;
		}
		for (int i = 0; i < BETWEEN_POLLS && s->top; i++)
			expand(s);
		int flag;
		MPI_Status status;
		MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &status);
		if (flag)
			receive_one(s, &status);
		else if (leaves)
			MPI_Test(&leaving, &left, MPI_STATUS_IGNORE);
		else if (!s->top && !s->done)
			idle(s);
	}
}

int main(int argc, char **argv)
{
	struct searcher s = {0};
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &s.rank);
	MPI_Comm_size(MPI_COMM_WORLD, &s.size);
	long roots = argument(argc, argv, 1, 2000);
	s.rounds = argument(argc, argv, 2, 200);
	s.seed = (uint64_t)s.rank;
	if (s.rank == 0) {
		s.has_token = s.token_black = 1; /* black: the first round only starts */
		for (long i = 0; i < roots && i < MOST_ROOTS; i++)
			push(&s, mix((uint64_t)i));
	}
	MPI_Barrier(MPI_COMM_WORLD);
	double start = now_ns();
	search(&s);
	double time = now_ns() - start;
	uint64_t mine[2] = {s.nodes, s.steals}, all[2];
	MPI_Reduce(mine, all, 2, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
	if (s.rank == 0) {
		report("node", time / (double)all[0], "ns");
		report("steals", (double)all[1], "1");
		report_check("nodes", all[0]);
		report_end();
	}
	MPI_Finalize();
	free(s.stack);
	return 0;
}
