/* processes: 4
 * why: rows of a grid are rings of their own, each with its own counts */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	int dims[2] = {2, 2}, periods[2] = {1, 1}, keep[2] = {0, 1}, coords[2], values[4] = {0}, got[4];
	MPI_Comm grid, row, copy;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
	MPI_Cart_coords(grid, rank, 2, coords);
	MPI_Cart_sub(grid, keep, &row);
	MPI_Comm_dup(row, &copy);
	MPI_Neighbor_alltoall(values, 1 + coords[0], MPI_INT, got, 1 + coords[0], MPI_INT, copy);
	MPI_Comm_free(&copy);
	MPI_Comm_free(&row);
	MPI_Comm_free(&grid);
	MPI_Finalize();
	return 0;
}
