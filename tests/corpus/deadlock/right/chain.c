/* processes: 5
   why: a chain: each waits for the one before */
#include <mpi.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int rank, size;
	int x = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (rank > 0)
		MPI_Recv(&x, 1, MPI_INT, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	usleep(100000);
	if (rank + 1 < size)
		MPI_Send(&x, 1, MPI_INT, rank + 1, 0, MPI_COMM_WORLD);
	MPI_Finalize();
	return size < 1;
}
