/* A master hands out tasks, one process works on them and tells of them: task 30 in two parts, and task 49 crashes, unless MENDED. */
#include <hbdb/event.h>
#include <mpi.h>

enum { TASKS = 60, BAD = 49, PARTED = 30 };

static int *place_of(int task)
{
	static int place;
#ifndef MENDED
	if (task == BAD)
		return 0;
#endif
	(void)task;
	return &place;
}

static double compute(int task)
{
	int *place = place_of(task);
	*place = task;
	return 2.0 * *place;
}

static double told(int task, const char *part)
{
	HB_BEGIN("compute", hb_integer("task", task), hb_text("sub", part));
	double result = compute(task);
	HB_END("compute", hb_integer("task", task), hb_text("sub", part));
	return result;
}

static double work(int task)
{
	if (task != PARTED)
		return told(task, "");
	return told(task, "0") + told(task, "1");
}

int main(int argc, char **argv)
{
	int rank, task;
	double result;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 0; i < TASKS; i++)
		if (!rank) {
			MPI_Send(&i, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
			MPI_Recv(&result, 1, MPI_DOUBLE, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		} else {
			MPI_Recv(&task, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
			result = work(task);
			MPI_Send(&result, 1, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD);
		}
	MPI_Finalize();
	return 0;
}
