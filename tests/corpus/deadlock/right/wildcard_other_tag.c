/* processes: 3
   why: a wildcard receive, then one from rank 1 with a tag of its own */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank, size;
	int x = 0, y = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (rank == 0) {
		for (int i = 1; i < size; i++)
			MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Recv(&y, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	} else {
		MPI_Send(&x, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
		if (rank == 1)
			MPI_Send(&x, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return size < 1;
}
