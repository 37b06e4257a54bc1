/* why: a send that completes late: its receiver has other things to do first */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int value = rank, other = 0;
	if (rank == 0) {
		MPI_Send(&value, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
		MPI_Send(&value, 1, MPI_INT, 1, 2, MPI_COMM_WORLD);
	} else {
		MPI_Recv(&other, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Recv(&value, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	MPI_Finalize();
	return 0;
}
