/* Work stealing: all tasks are made at process 0; one that has none asks it for some (tag 0), gets one (tag 2 + task) or none (tag 1). */
#include <hbdb/event.h>

#include "job.h"

enum { ASK, NONE, GIVE };
enum { TASKS = 6 };

static void run(int task)
{
	HB_BEGIN("compute", hb_integer("task", task));
	if (makes("crash") && task == 3)
		crash();
	if (makes("stuck") && task == 2)
		wait_for_ever();
	hb_end("compute");
}

static void give(int task, int to) { MPI_Send(&task, 1, MPI_INT, to, GIVE + task, MPI_COMM_WORLD); }

static void own(void)
{
	int nothing, open = size - 1, next = 0;
	MPI_Status status;
	for (int task = 0; task < TASKS; task++)
		HB_EVENT("made", hb_integer("task", task));
	run(next++);
	while (open) {
		MPI_Recv(&nothing, 1, MPI_INT, MPI_ANY_SOURCE, ASK, MPI_COMM_WORLD, &status);
		if (next < TASKS) {
			if (makes("twice") && next == 4)
				run(next);
			if (makes("both") && next == 4)
				give(next, status.MPI_SOURCE);
			give(next++, status.MPI_SOURCE);
		} else {
			MPI_Send(&nothing, 1, MPI_INT, status.MPI_SOURCE, NONE, MPI_COMM_WORLD);
			open--;
		}
	}
}

static void steal(void)
{
	int task = 0;
	MPI_Status status;
	for (;;) {
		MPI_Send(&task, 1, MPI_INT, 0, ASK, MPI_COMM_WORLD);
		MPI_Recv(&task, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
		if (status.MPI_TAG == NONE)
			return;
		if (makes("both") && task == 4)
			MPI_Recv(&task, 1, MPI_INT, 0, GIVE + task, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		if (!(makes("lost") && task == 5))
			run(task);
	}
}

int main(int argc, char **argv)
{
	begin(&argc, &argv);
	if (rank)
		steal();
	else
		own();
	MPI_Finalize();
	return 0;
}
