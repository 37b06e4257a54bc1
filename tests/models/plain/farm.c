/* A farm on a binary tree, in plain MPI: node 0 hands tasks down, each for the node that its number names; what goes down and comes up
 * begins with the task's number, and the tag says which of the two it is. */
#include "../programs/job.h"

enum { TASK = 1, RESULT, STOP };
enum { TASKS = 8 };
struct packet {
	int task, node;
	double value;
};
static MPI_Datatype packet;

static void send(struct packet p, int to, int tag) { MPI_Send(&p, 1, packet, to, tag, MPI_COMM_WORLD); }

/* The child on the way to a node. */
static int towards(int node)
{
	while ((node - 1) / 2 != rank)
		node = (node - 1) / 2;
	return node;
}

static void handle(struct packet p)
{
	if (p.node != rank) {
		send(p, towards(p.node), TASK);
		return;
	}
	if (makes("crash") && p.task == 7)
		crash();
	if (makes("stuck") && p.task == 7)
		wait_for_ever();
	p.value = p.task * 2;
	if (!(makes("lost") && p.task == 5))
		send(p, makes("partner") && p.task == 5 ? 0 : (rank - 1) / 2, RESULT);
	if (makes("twice") && p.task == 5)
		send(p, (rank - 1) / 2, RESULT);
}

static void node(void)
{
	struct packet p;
	MPI_Status status;
	for (;;) {
		MPI_Recv(&p, 1, packet, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
		if (status.MPI_TAG == RESULT)
			send(p, (rank - 1) / 2, RESULT);
		else if (status.MPI_TAG == TASK)
			handle(p);
		else
			break;
	}
	for (int child = 2 * rank + 1; child <= 2 * rank + 2 && child < size; child++)
		send(p, child, STOP);
}

static void generate(void)
{
	struct packet p = {0, 0, 0};
	int missing = TASKS - makes("lost") + makes("twice");
	for (int task = 0; task < TASKS; task++) {
		p.task = task;
		p.node = 1 + task % (size - 1);
		send(p, towards(p.node), TASK);
	}
	while (missing--)
		MPI_Recv(&p, 1, packet, MPI_ANY_SOURCE, RESULT, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	for (int child = 1; child <= 2 && child < size; child++)
		send(p, child, STOP);
}

int main(int argc, char **argv)
{
	begin(&argc, &argv);
	MPI_Type_contiguous(sizeof(struct packet), MPI_BYTE, &packet);
	MPI_Type_commit(&packet);
	if (rank)
		node();
	else
		generate();
	MPI_Type_free(&packet);
	MPI_Finalize();
	return 0;
}
