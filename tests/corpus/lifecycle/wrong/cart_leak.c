/* expect: HB-LEAK-COMM
 * why: a grid that is never freed */
#include <mpi.h>

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	int dims[1] = {2}, periods[1] = {0}, left, right;
	MPI_Comm grid;
	MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &grid);
	MPI_Cart_shift(grid, 0, 1, &left, &right);
	MPI_Finalize();
	return 0;
}
