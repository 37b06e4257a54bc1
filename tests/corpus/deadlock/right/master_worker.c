/* processes: 4
   why: a farm: workers ask, the master answers whoever asks */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank, size;
	int x = 0, y = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (rank == 0) {
		for (int i = 0; i < 3 * (size - 1); i++) {
			MPI_Status status;
			MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status);
			MPI_Send(&x, 1, MPI_INT, status.MPI_SOURCE, 2, MPI_COMM_WORLD);
		}
	} else {
		for (int i = 0; i < 3; i++) {
			MPI_Send(&x, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
			MPI_Recv(&y, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		}
	}
	MPI_Finalize();
	return size < 1;
}
