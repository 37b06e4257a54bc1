/* processes: 2
   why: large messages in order, received as they are sent */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank, size;
	static int big[300000], in[300000];
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (int i = 0; i < 5; i++)
		if (rank == 0)
			MPI_Send(big, 300000, MPI_INT, 1, i, MPI_COMM_WORLD);
		else
			MPI_Recv(in, 300000, MPI_INT, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return size < 1;
}
