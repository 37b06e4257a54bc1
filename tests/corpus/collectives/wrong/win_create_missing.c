/* expect: HB-COLLECTIVE-MISSING|HB-DEADLOCK-ORPHAN|HB-DEADLOCK-CYCLE
 * also: HB-COLLECTIVE-MISSING HB-DEADLOCK-ORPHAN HB-DEADLOCK-CYCLE HB-COLLECTIVE-CALL
 * why: making a window is collective: process 1 does not take part */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int memory;
	MPI_Win win;
	if (rank == 0) {
		MPI_Win_create(&memory, sizeof memory, sizeof memory, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
		MPI_Win_free(&win);
	}
	MPI_Finalize();
	return 0;
}
