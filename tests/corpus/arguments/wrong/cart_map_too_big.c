/* expect: HB-ARG-VALUE
 * also: HB-CALL-FAILED HB-FINALIZE-MISSING
 * why: where a process would stand in a grid of more processes than there are */
#include <mpi.h>

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	int size, periods[1] = {0}, rank;
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	int dims[1] = {size + 1};
	MPI_Cart_map(MPI_COMM_WORLD, 1, dims, periods, &rank);
	MPI_Finalize();
	return 0;
}
