/* processes: 4
 * why: a periodic grid takes any coordinate; a shift beyond the edge of another gives MPI_PROC_NULL */
#include <mpi.h>

int main(int argc, char **argv)
{
	int size;
	MPI_Init(&argc, &argv);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	int dims[2] = {0, 0}, periods[2] = {1, 0}, where[2] = {-3, 1}, other, from, to;
	MPI_Comm grid, line;
	MPI_Dims_create(size, 2, dims);
	MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &grid);
	MPI_Cart_rank(grid, where, &other);
	MPI_Cart_shift(grid, 1, 5, &from, &to);
	MPI_Sendrecv(&where, 2, MPI_INT, to, 0, &dims, 2, MPI_INT, from, 0, grid, MPI_STATUS_IGNORE);
	int keep[2] = {0, 1};
	MPI_Cart_sub(grid, keep, &line);
	MPI_Barrier(line);
	MPI_Comm_free(&line);
	MPI_Comm_free(&grid);
	MPI_Finalize();
	return 0;
}
