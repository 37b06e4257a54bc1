/* processes: 4
 * why: who sent the header is asked for the body */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	int value = 1;
	MPI_Status status;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank > 0) {
		MPI_Send(&value, 1, MPI_INT, 0, 3, MPI_COMM_WORLD);
		MPI_Send(&value, 1, MPI_INT, 0, 3, MPI_COMM_WORLD);
	}
	for (int i = 1; rank == 0 && i < 4; i++) {
		MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &status);
		MPI_Recv(&value, 1, MPI_INT, status.MPI_SOURCE, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	MPI_Finalize();
	return 0;
}
