/* processes: 3
 * why: any source and any tag: every message is received, whatever comes first */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int value = rank, got;
	MPI_Status status;
	if (rank == 0)
		for (int i = 0; i < 4; i++)
			MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
	else
		for (int i = 0; i < 2; i++)
			MPI_Send(&value, 1, MPI_INT, 0, i, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
