/* processes: 3
 * expect: HB-DEADLOCK-ORPHAN|HB-DEADLOCK-CYCLE
 * also: HB-DEADLOCK-ORPHAN HB-DEADLOCK-CYCLE
 * why: process 0 waits for process 1, which waits for process 2, which is in MPI_Finalize */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int value = rank;
	if (rank < 2) {
		MPI_Recv(&value, 1, MPI_INT, rank + 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		if (rank == 1)
			MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return 0;
}
