/* expect: HB-ARG-HANDLE
 * also: HB-CALL-FAILED HB-FINALIZE-MISSING
 * why: no error handler to set */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRHANDLER_NULL);
	MPI_Finalize();
	return 0;
}
