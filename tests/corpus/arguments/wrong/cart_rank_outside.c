/* expect: HB-ARG-VALUE|HB-CALL-FAILED|HB-ARG-RANK
 * also: HB-ARG-VALUE HB-CALL-FAILED HB-FINALIZE-MISSING HB-LEAK-COMM
 * why: a coordinate beyond the edge of a grid that is not periodic */
#include <mpi.h>

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	int dims[1] = {2}, periods[1] = {0}, where[1] = {5}, other;
	MPI_Comm grid;
	MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &grid);
	MPI_Cart_rank(grid, where, &other);
	MPI_Comm_free(&grid);
	MPI_Finalize();
	return 0;
}
