/* processes: 4
 * why: a ring in which every other process receives first */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	int value = rank, got, next = (rank + 1) % size, last = (rank + size - 1) % size;
	if (rank % 2) {
		MPI_Recv(&got, 1, MPI_INT, last, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Ssend(&value, 1, MPI_INT, next, 0, MPI_COMM_WORLD);
	} else {
		MPI_Ssend(&value, 1, MPI_INT, next, 0, MPI_COMM_WORLD);
		MPI_Recv(&got, 1, MPI_INT, last, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	MPI_Finalize();
	return 0;
}
