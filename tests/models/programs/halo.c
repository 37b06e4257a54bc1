/* Neighbours on a line exchange their borders in each step, then each updates; the tag is 2 * step, and 1 more to the left. */
#include <hbdb/event.h>

#include "job.h"

enum { STEPS = 4 };

static void send(int step, int to) { MPI_Send(&rank, 1, MPI_INT, to, 2 * step + (to < rank), MPI_COMM_WORLD); }

static void exchange(int step, int with)
{
	int theirs, twice = makes("twice") && step == 2 && rank + with == 3;
	MPI_Request request;
	MPI_Irecv(&theirs, 1, MPI_INT, with, 2 * step + (with > rank), MPI_COMM_WORLD, &request);
	if (!(makes("lost") && rank == 2 && step == 2 && with == 1))
		send(step, with);
	if (twice && rank == 2)
		send(step, with);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	if (twice && rank == 1)
		MPI_Recv(&theirs, 1, MPI_INT, with, 2 * step + 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
	begin(&argc, &argv);
	for (int step = 0; step < STEPS; step++) {
		int early = makes("early") && step == 1 && rank == 1;
		if (early) { /* with the borders of the step before */
			HB_BEGIN("update", hb_integer("step", step));
			hb_end("update");
		}
		if (rank)
			exchange(step, rank - 1);
		if (rank + 1 < size)
			exchange(step, rank + 1);
		if (early)
			continue;
		HB_BEGIN("update", hb_integer("step", step));
		if (makes("crash") && rank == 2 && step == 2)
			crash();
		hb_end("update");
	}
	MPI_Finalize();
	return 0;
}
