/* Divide and conquer on a binary tree: a node with children splits a task in two, one without computes it; what parts are called
 * is the way to them ("01"). */
#include <hbdb/event.h>

#include "job.h"

enum { TASK = 1, RESULT, STOP };
enum { TASKS = 3 };
struct part {
	int task;
	char sub[12];
};

static void tell(const char *what, const struct part *part, int node)
{
	HB_EVENT(what, hb_integer("task", part->task), hb_text("sub", part->sub), hb_integer("node", node));
}

static void pass(int tag, const struct part *part, int to)
{
	tell(tag == TASK ? "task_sent" : "result_sent", part, to);
	MPI_Send(part, sizeof *part, MPI_BYTE, to, tag, MPI_COMM_WORLD);
}

static int take(struct part *ret_part, int from, int *ret_from)
{
	MPI_Status status;
	MPI_Recv(ret_part, sizeof *ret_part, MPI_BYTE, from, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
	*ret_from = status.MPI_SOURCE;
	if (status.MPI_TAG != STOP)
		tell(status.MPI_TAG == TASK ? "task_received" : "result_received", ret_part, *ret_from);
	return status.MPI_TAG;
}

static void begin_of(const char *what, const struct part *part)
{
	HB_BEGIN(what, hb_integer("task", part->task), hb_text("sub", part->sub));
}

static int child(int which)
{
	int one = 2 * rank + 1 + which;
	return one < size ? one : 2 * rank + 1;
}

static void work(const struct part *part)
{
	int from;
	struct part half[2], result;
	int strange = part->task == 1; /* in this one something goes wrong */
	if (child(0) >= size) {
		begin_of("compute", part);
		if (makes("crash") && strange && !strcmp(part->sub, "00"))
			crash();
		if (makes("stuck") && strange && !strcmp(part->sub, "1"))
			wait_for_ever();
		hb_end("compute");
		return;
	}
	begin_of("split", part);
	for (int i = 0; i < 2; i++) {
		half[i] = *part;
		half[i].sub[strlen(part->sub)] = (char)('0' + i);
	}
	if (makes("split") && strange && !rank)
		crash();
	hb_end("split");
	for (int i = 0; i < 2; i++)
		if (!(makes("lost") && strange && !rank && i))
			pass(TASK, &half[i], child(i));
	if (makes("join") && strange && !rank) {
		begin_of("join", part);
		hb_end("join");
	}
	for (int i = 0; i < 2 - (makes("lost") && strange && !rank); i++)
		take(&result, MPI_ANY_SOURCE, &from);
	if (makes("join") && strange && !rank)
		return;
	begin_of("join", part);
	hb_end("join");
}

static void node(void)
{
	struct part part;
	int from;
	while (take(&part, (rank - 1) / 2, &from) == TASK) {
		work(&part);
		if (makes("partner") && part.task == 1 && rank == 2)
			part.sub[0] = '0'; /* the result of another part */
		pass(RESULT, &part, from);
	}
}

int main(int argc, char **argv)
{
	begin(&argc, &argv);
	struct part part = {0, ""};
	for (part.task = 0; !rank && part.task < TASKS; part.task++) {
		HB_BEGIN("generate", hb_integer("task", part.task));
		hb_end("generate");
		work(&part);
		HB_BEGIN("receive", hb_integer("task", part.task));
		hb_end("receive");
	}
	if (rank)
		node();
	for (int i = 2 * rank + 1; i <= 2 * rank + 2 && i < size; i++)
		MPI_Send(&part, sizeof part, MPI_BYTE, i, STOP, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
