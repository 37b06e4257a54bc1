/* expect: HB-COLLECTIVE-CALL
 * also: HB-DEADLOCK-CYCLE HB-DEADLOCK-ORPHAN HB-CALL-FAILED HB-MESSAGE-TRUNCATED
 * why: two nonblocking collectives are started in another order; that both are waited for together does not help */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int value = rank, sum;
	MPI_Request request[2];
	if (rank == 0) {
		MPI_Ibcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD, &request[0]);
		MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request[1]);
	} else {
		MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request[1]);
		MPI_Ibcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD, &request[0]);
	}
	MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
	MPI_Finalize();
	return 0;
}
