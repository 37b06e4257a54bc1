/* processes: 2
   why: a nonblocking barrier over messages, completed behind them */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank, size;
	int x = 0, y = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Request q;
	MPI_Ibarrier(MPI_COMM_WORLD, &q);
	if (rank == 0)
		MPI_Send(&x, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
	else
		MPI_Recv(&y, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Wait(&q, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return size < 1;
}
