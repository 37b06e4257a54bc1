/* A processor farm on a binary tree: task t is computed at node t modulo the number of nodes, its result goes back the way it came. */
#include <hbdb/event.h>

#include "job.h"

enum { TASK = 1, RESULT, STOP };
enum { TASKS = 8 };

static void pass(int tag, int task, int to)
{
	if (tag == TASK)
		HB_EVENT("task_sent", hb_integer("task", task), hb_integer("node", to));
	else
		HB_EVENT("result_sent", hb_integer("task", task), hb_integer("node", to));
	MPI_Send(&task, 1, MPI_INT, to, tag, MPI_COMM_WORLD);
}

static int take(int *ret_task, int *ret_from)
{
	MPI_Status status;
	MPI_Recv(ret_task, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
	*ret_from = status.MPI_SOURCE;
	if (status.MPI_TAG == TASK)
		HB_EVENT("task_received", hb_integer("task", *ret_task), hb_integer("node", *ret_from));
	else if (status.MPI_TAG == RESULT)
		HB_EVENT("result_received", hb_integer("task", *ret_task), hb_integer("node", *ret_from));
	return status.MPI_TAG;
}

static void compute(int task)
{
	HB_BEGIN("compute", hb_integer("task", task));
	if (makes("crash") && task == 7)
		crash();
	if (makes("stuck") && task == 6)
		wait_for_ever();
	hb_end("compute");
}

static int parent(int node) { return (node - 1) / 2; }

/* The child through which a task goes on. */
static int towards(int node)
{
	while (parent(node) != rank)
		node = parent(node);
	return node;
}

static void work(int task)
{
	int node = task % size;
	if (node != rank) {
		if (!(makes("lost") && rank == 1 && task == 3))
			pass(TASK, task, towards(node));
		return;
	}
	if (makes("early") && task == 2)
		pass(RESULT, task, parent(rank));
	compute(task);
	if (rank && !(makes("early") && task == 2))
		pass(RESULT, task, makes("partner") && task == 3 ? 0 : parent(rank));
	if (makes("twice") && task == 2)
		pass(RESULT, task, parent(rank));
}

static void receive(int task)
{
	HB_BEGIN("receive", hb_integer("task", task));
	hb_end("receive");
}

static void root(void)
{
	int task, from, open = 0;
	for (task = 0; task < TASKS; task++) {
		HB_BEGIN("generate", hb_integer("task", task));
		hb_end("generate");
		work(task);
		open += task % size != 0;
		if (task % size == 0)
			receive(task);
	}
	open += makes("twice");
	open -= makes("lost");
	for (; open; open--) {
		take(&task, &from);
		receive(task);
	}
}

static void node(void)
{
	int task, from;
	for (;;)
		switch (take(&task, &from)) {
		case TASK:
			work(task);
			break;
		case RESULT:
			pass(RESULT, task, parent(rank));
			break;
		default:
			return;
		}
}

int main(int argc, char **argv)
{
	begin(&argc, &argv);
	if (rank)
		node();
	else
		root();
	for (int child = 2 * rank + 1; child <= 2 * rank + 2 && child < size; child++)
		MPI_Send(&rank, 1, MPI_INT, child, STOP, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
