/* processes: 3
 * expect: HB-DEADLOCK-ORPHAN|HB-DEADLOCK-CYCLE
 * also: HB-DEADLOCK-ORPHAN HB-DEADLOCK-CYCLE HB-LEAK-REQUEST HB-FINALIZE-PENDING
 * why: one message of either of two would do, and neither sends */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int got[2], index;
	MPI_Request request[2];
	if (rank == 0) {
		MPI_Irecv(&got[0], 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request[0]);
		MPI_Irecv(&got[1], 1, MPI_INT, 2, 0, MPI_COMM_WORLD, &request[1]);
		MPI_Waitany(2, request, &index, MPI_STATUS_IGNORE);
	}
	MPI_Finalize();
	return 0;
}
