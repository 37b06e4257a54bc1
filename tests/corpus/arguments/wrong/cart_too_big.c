/* expect: HB-ARG-VALUE|HB-CALL-FAILED
 * also: HB-ARG-VALUE HB-CALL-FAILED HB-FINALIZE-MISSING HB-LEAK-COMM
 * why: a grid for more processes than there are (MPI 4.0, 8.5.1) */
#include <mpi.h>

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	int dims[2] = {2, 2}, periods[2] = {0, 0};
	MPI_Comm grid;
	MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
	MPI_Finalize();
	return 0;
}
