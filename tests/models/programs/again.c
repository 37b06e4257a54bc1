/* All processes compute each of some tasks once; process 0 computes task 1 twice. It goes on for SECONDS: long enough to be told of while it runs. */
#include <hbdb/event.h>
#include <unistd.h>

#include "job.h"

enum { TASKS = 4 };

static void compute(int task)
{
	HB_BEGIN("compute", hb_integer("task", task));
	hb_end("compute");
}

int main(int argc, char **argv)
{
	begin(&argc, &argv);
	double began = MPI_Wtime(), seconds = atof(mistake);
	for (int task = 0; task < TASKS; task++) {
		compute(task);
		if (!rank && task == 1)
			compute(task);
	}
	for (int more = 1; more;) {
		usleep(20000);
		more = MPI_Wtime() - began < seconds;
		MPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return 0;
}
