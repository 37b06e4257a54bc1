/* processes: 3
 * expect: HB-MESSAGE-LOST|HB-DEADLOCK-ORPHAN
 * also: HB-MESSAGE-LOST HB-MESSAGE-MISSING HB-DEADLOCK-ORPHAN HB-DEADLOCK-CYCLE
 * why: process 0 sends to 2 what process 1 waits for */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int value = 1;
	if (rank == 0)
		MPI_Send(&value, 1, MPI_INT, 2, 0, MPI_COMM_WORLD);
	if (rank == 1)
		MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
