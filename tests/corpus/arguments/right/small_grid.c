/* processes: 3
 * why: a grid smaller than the communicator: who is not in it gets MPI_COMM_NULL */
#include <mpi.h>

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	int dims[1] = {2}, periods[1] = {0};
	MPI_Comm grid;
	MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &grid);
	if (grid != MPI_COMM_NULL)
		MPI_Comm_free(&grid);
	MPI_Finalize();
	return 0;
}
