/* processes: 4
 * why: a grid that is not periodic: neighbours beyond its edge are MPI_PROC_NULL */
#include <mpi.h>

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	int dims[2] = {2, 2}, periods[2] = {0, 1}, values[4] = {1, 2, 3, 4}, got[4] = {0};
	MPI_Comm grid;
	MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &grid);
	MPI_Neighbor_alltoall(values, 1, MPI_INT, got, 1, MPI_INT, grid);
	MPI_Neighbor_allgather(values, 1, MPI_INT, got, 1, MPI_INT, grid);
	MPI_Comm_free(&grid);
	MPI_Finalize();
	return 0;
}
