/* processes: 3
 * expect: HB-DEADLOCK-ORPHAN|HB-DEADLOCK-CYCLE
 * also: HB-DEADLOCK-ORPHAN HB-DEADLOCK-CYCLE
 * why: process 0 wants one message more than are sent */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	int value = rank;
	if (rank == 0)
		for (int i = 0; i < size; i++)
			MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	else
		MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
