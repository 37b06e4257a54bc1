/* Divide and conquer on a binary tree, in plain MPI: a node with two children splits what it gets, and a part goes to each; the others
 * compute. A message begins with the task and the part: 1 is the whole, and part s is split into 2 s and 2 s + 1. */
#include "../programs/job.h"

enum { PART = 1, RESULT };
enum { TASKS = 3 };
struct message {
	int task, part;
	double value;
};

static void send(struct message m, int to, int tag) { MPI_Send(&m, sizeof m, MPI_BYTE, to, tag, MPI_COMM_WORLD); }

static struct message take(int from, int tag)
{
	struct message m;
	MPI_Recv(&m, sizeof m, MPI_BYTE, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	return m;
}

/* Splits, and joins what comes back. */
static struct message divided(struct message m)
{
	int strange = m.task == 1, early = makes("early") && strange && rank == 1;
	struct message part[2];
	for (int i = 0; i < 2; i++) {
		part[i] = m;
		part[i].part = 2 * m.part + (makes("same") && strange && rank == 1 ? 0 : i);
		send(part[i], 2 * rank + 1 + i, PART);
	}
	if (early)
		send(m, (rank - 1) / 2, RESULT);
	for (int i = 0; i < 2; i++)
		if (!(makes("lost") && strange && rank == 1 && i))
			part[i] = take(2 * rank + 1 + i, RESULT);
	m.value = part[0].value + part[1].value;
	return m;
}

static void node(void)
{
	struct message m = take((rank - 1) / 2, PART);
	int strange = m.task == 1, early = makes("early") && strange && rank == 1;
	if (2 * rank + 2 < size)
		m = divided(m);
	else if (makes("crash") && strange && rank == 4)
		crash();
	else if (makes("stuck") && strange && rank == 2)
		wait_for_ever();
	if (!early && !(makes("lost") && strange && rank == 4))
		send(m, (rank - 1) / 2, RESULT);
}

int main(int argc, char **argv)
{
	begin(&argc, &argv);
	for (int task = 0; task < TASKS; task++)
		if (rank)
			node();
		else
			divided((struct message){task, 1, 0});
	MPI_Finalize();
	return 0;
}
