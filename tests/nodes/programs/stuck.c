/* Ranks 0 and the last one wait for each other; all others wait for rank 0. After some messages: the job moves until then. */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank, size, value = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 0 || rank == size - 1)
		MPI_Recv(&value, 1, MPI_INT, size - 1 - rank, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
