/* expect: HB-HANDLE-FREED|HB-ARG-REQUEST
 * also: HB-CRASH HB-CALL-FAILED HB-FINALIZE-MISSING HB-HANDLE-FREED HB-ARG-REQUEST
 * why: a copy of the handle is waited for after MPI_Request_free */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int value = 1;
	MPI_Request request, copy;
	if (rank == 0) {
		MPI_Isend(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
		copy = request;
		MPI_Request_free(&request);
	} else
		MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 0)
		MPI_Wait(&copy, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
