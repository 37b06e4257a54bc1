/* processes: 3
 * why: a grid of fewer processes: the others get MPI_COMM_NULL; any number but 0 is true */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	int dims[1] = {2}, periods[1];
	MPI_Comm grid;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	periods[0] = 1 + rank;
	MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &grid);
	if (grid != MPI_COMM_NULL)
		MPI_Comm_free(&grid);
	MPI_Finalize();
	return 0;
}
