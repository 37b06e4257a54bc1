/* expect: HB-REQUEST-ACTIVE
 * also: HB-BUFFER-OVERLAP HB-BUFFER-WRITTEN HB-CALL-FAILED HB-FINALIZE-MISSING HB-MESSAGE-LOST HB-LEAK-REQUEST HB-FINALIZE-PENDING HB-DEADLOCK-ORPHAN HB-DEADLOCK-CYCLE
 * why: an active persistent request is started again (MPI 4.0, 3.9) */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int value = 1;
	MPI_Request request;
	if (rank == 0) {
		MPI_Recv_init(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
		MPI_Start(&request);
		MPI_Start(&request);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		MPI_Request_free(&request);
	} else
		MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
