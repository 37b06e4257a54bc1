/* expect: HB-COLLECTIVE-MISSING
 * also: HB-DEADLOCK-CYCLE HB-DEADLOCK-ORPHAN HB-HANG HB-CALL-FAILED HB-FINALIZE-PENDING HB-LEAK-REQUEST HB-REQUEST-INACTIVE
 * mpi: mpich
 * why: process 1 makes a persistent reduction and never starts it (Open MPI 4.1 has no persistent collectives) */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	int value = 1, sum = 0;
	MPI_Request request;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Reduce_init(&value, &sum, 1, MPI_INT, MPI_SUM, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
	if (rank == 0) {
		MPI_Start(&request);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	}
	MPI_Request_free(&request);
	MPI_Finalize();
	return 0;
}
