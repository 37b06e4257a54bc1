/* processes: 2
   why: receives are posted before the sends */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank, size;
	static int big[300000], in[300000];
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Request q;
	MPI_Irecv(in, 300000, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &q);
	MPI_Send(big, 300000, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
	MPI_Wait(&q, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return size < 1;
}
