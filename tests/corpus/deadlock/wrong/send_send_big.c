/* processes: 2
   expect: HB-DEADLOCK-CYCLE
   why: both send much before they receive: no library buffers that */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank, size;
	static int big[300000], in[300000];
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Send(big, 300000, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
	MPI_Recv(in, 300000, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return size < 1;
}
