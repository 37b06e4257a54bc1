/* processes: 3
 * expect: HB-COLLECTIVE-MISSING|HB-DEADLOCK-ORPHAN|HB-DEADLOCK-CYCLE
 * also: HB-COLLECTIVE-MISSING HB-DEADLOCK-ORPHAN HB-DEADLOCK-CYCLE HB-COLLECTIVE-CALL
 * why: process 2 is not to be in any part, and does not call MPI_Comm_split with MPI_UNDEFINED either */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm part;
	if (rank < 2) {
		MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &part);
		MPI_Comm_free(&part);
	}
	MPI_Finalize();
	return 0;
}
