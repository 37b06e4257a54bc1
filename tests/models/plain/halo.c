/* Neighbours on a line exchange their borders in each step, both at once; the tag is the step, the communicator one of a grid. */
#include "../programs/job.h"

enum { STEPS = 4 };
static MPI_Comm grid;

static void exchange(int step)
{
	double theirs[2], mine = rank;
	int strange = step == 2 && rank == 2;
	MPI_Request request[4];
	int n = 0;
	for (int side = 0; side < 2; side++) {
		int with = side ? rank + 1 : rank - 1;
		if (with < 0 || with >= size)
			continue;
		int to = makes("partner") && strange && with == 1 ? 0 : with, tag = step;
		if (makes("step") && strange && with == 1)
			tag = step + 1;
		MPI_Irecv(&theirs[side], 1, MPI_DOUBLE, with, step, grid, &request[n++]);
		if (!(makes("lost") && strange && with == 1))
			MPI_Isend(&mine, 1, MPI_DOUBLE, to, tag, grid, &request[n++]);
		if (makes("twice") && strange && with == 1)
			MPI_Send(&mine, 1, MPI_DOUBLE, with, step, grid);
	}
	MPI_Waitall(n, request, MPI_STATUSES_IGNORE);
	if (makes("crash") && strange)
		crash();
	if (makes("twice") && step == 2 && rank == 1)
		MPI_Recv(&theirs[0], 1, MPI_DOUBLE, 2, step, grid, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
	int open = 0;
	begin(&argc, &argv);
	MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &open, 0, &grid);
	for (int step = 0; step < STEPS; step++)
		exchange(step);
	MPI_Comm_free(&grid);
	MPI_Finalize();
	return 0;
}
