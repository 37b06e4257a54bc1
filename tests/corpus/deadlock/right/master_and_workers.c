/* processes: 4
 * why: a task farm: the master answers whoever asks */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	int task = 0, got;
	MPI_Status status;
	if (rank == 0) {
		for (int left = size - 1; left > 0; left -= task > 6, task++) {
			MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
			MPI_Send(&task, 1, MPI_INT, status.MPI_SOURCE, task > 6, MPI_COMM_WORLD);
		}
	} else {
		do {
			MPI_Send(&task, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
			MPI_Recv(&task, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
		} while (status.MPI_TAG == 0);
	}
	MPI_Finalize();
	return 0;
}
