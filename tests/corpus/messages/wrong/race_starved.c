/* processes: 3
 * expect: HB-MESSAGE-RACE-STARVED|HB-DEADLOCK-CYCLE|HB-DEADLOCK-ORPHAN
 * also: HB-DEADLOCK-OTHER-ORDER HB-MESSAGE-LOST HB-DEADLOCK-POTENTIAL HB-FINALIZE-MISSING
 * why: the receive from anybody may take the message that the next one needs */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	int value = 1;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0) {
		MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Recv(&value, 1, MPI_INT, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	} else {
		MPI_Send(&value, 1, MPI_INT, 0, 3, MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return 0;
}
