/* expect: HB-REQUEST-INACTIVE
 * also: HB-MESSAGE-LOST HB-DEADLOCK-ORPHAN HB-DEADLOCK-CYCLE HB-MESSAGE-MISSING
 * why: the start is missing: the wait returns at once, and nothing was received */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int value = 0;
	MPI_Request request;
	if (rank == 0) {
		MPI_Recv_init(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		MPI_Request_free(&request);
	} else
		MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
