/* expect: HB-HANDLE-FREED|HB-ARG-COMM
 * also: HB-CRASH HB-CALL-FAILED HB-FINALIZE-MISSING HB-HANDLE-FREED HB-ARG-COMM
 * why: a copy of the handle is used after the communicator is freed */
#include <mpi.h>

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm comm, copy;
	MPI_Comm_dup(MPI_COMM_WORLD, &comm);
	copy = comm;
	MPI_Comm_free(&comm);
	MPI_Barrier(copy);
	MPI_Finalize();
	return 0;
}
