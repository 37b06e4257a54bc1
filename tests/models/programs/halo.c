/* Neighbours on a line exchange their borders in each step; the tag is the step. */
#include "job.h"

enum { STEPS = 4 };

static void exchange(int step, int with)
{
	int mine = rank, theirs;
	MPI_Request request;
	MPI_Irecv(&theirs, 1, MPI_INT, with, step, MPI_COMM_WORLD, &request);
	if (!(makes("lost") && rank == 2 && step == 2 && with == 1))
		MPI_Send(&mine, 1, MPI_INT, with, step, MPI_COMM_WORLD);
	if (makes("twice") && rank == 2 && step == 2 && with == 1)
		MPI_Send(&mine, 1, MPI_INT, with, step, MPI_COMM_WORLD);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	if (makes("twice") && rank == 1 && step == 2 && with == 2)
		MPI_Recv(&theirs, 1, MPI_INT, with, step, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
	begin(&argc, &argv);
	for (int step = 0; step < STEPS; step++) {
		if (makes("crash") && rank == 2 && step == 2)
			crash();
		if (rank)
			exchange(step, rank - 1);
		if (rank + 1 < size)
			exchange(step, rank + 1);
		if (makes("around") && step == 1 && (!rank || rank == size - 1))
			exchange(step, size - 1 - rank);
	}
	MPI_Finalize();
	return 0;
}
