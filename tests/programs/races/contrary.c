/* Who sends first is the other one in a replay: persistent wildcard receives, probes and plain ones must get what they got. */
#include "races/contrary.h"

#define ROUNDS 4 /* each of two messages, whose senders wait for each other by flags */

/* Ranks 1 and 2 send; the second of them when the first has. */
static void sender(void)
{
	bool first = (rank == 1) != replayed();
	for (int k = 0; k < ROUNDS; k++) {
		if (k)
			await_flag(2 * ROUNDS + k - 1); /* the round before is over */
		if (!first)
			await_flag(k);
		MPI_Send(&rank, 1, MPI_INT, 0, 10 * k + rank, WORLD);
		raise_flag(first ? k : ROUNDS + k);
	}
}

static void receiver(void)
{
	int v;
	MPI_Status st;
	MPI_Request r;
	MPI_Recv_init(&v, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD, &r);
	for (int k = 0; k < ROUNDS; k++) {
		await_flag(ROUNDS + k); /* both are under way, in the order in which they were sent */
		for (int i = 0; i < 2; i++) {
			if (k == 0) {
				MPI_Start(&r);
				MPI_Wait(&r, &st);
			} else if (k == 1) {
				MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD, &st);
				MPI_Recv(&v, 1, MPI_INT, st.MPI_SOURCE, st.MPI_TAG, WORLD, &st);
			} else if (k == 2) {
				MPI_Request one;
				MPI_Irecv(&v, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD, &one);
				MPI_Wait(&one, &st);
			} else {
				MPI_Recv(&v, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD, &st);
			}
			CHECK(v == st.MPI_SOURCE && st.MPI_TAG == 10 * k + v);
			out("round %d: %d", k, v);
		}
		raise_flag(2 * ROUNDS + k);
	}
	MPI_Request_free(&r);
}

int main(int argc, char **argv)
{
	Init(&argc, &argv);
	contrary_begin(3 * ROUNDS);
	if (rank)
		sender();
	else
		receiver();
	contrary_end();
	Finalize();
	return 0;
}
