/* processes: 3
 * expect: HB-COLLECTIVE-CALL
 * also: HB-DEADLOCK-CYCLE HB-DEADLOCK-ORPHAN HB-CALL-FAILED HB-MESSAGE-TRUNCATED
 * why: process 1 calls the two collectives the other way round (MPI 4.0, 6.14) */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int value = rank, sum = 0;
	if (rank == 1) {
		MPI_Reduce(&rank, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
		MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
	} else {
		MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
		MPI_Reduce(&rank, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return 0;
}
