/* processes: 3
 * expect: HB-COLLECTIVE-MISSING|HB-COLLECTIVE-CALL
 * also: HB-DEADLOCK-CYCLE HB-DEADLOCK-ORPHAN HB-HANG HB-CALL-FAILED
 * why: making a communicator is collective: process 2 takes no part */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Comm own;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank < 2) {
		MPI_Comm_dup(MPI_COMM_WORLD, &own);
		MPI_Comm_free(&own);
	}
	MPI_Finalize();
	return 0;
}
