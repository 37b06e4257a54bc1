/* processes: 3
 * expect: HB-COLLECTIVE-COUNT
 * also: HB-DEADLOCK-CYCLE HB-DEADLOCK-ORPHAN HB-HANG HB-CALL-FAILED
 * why: process 2 receives two of each, where each sends one */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	int all[6];
	MPI_Request request;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Iallgather(&rank, 1, MPI_INT, all, rank == 2 ? 2 : 1, MPI_INT, MPI_COMM_WORLD, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
