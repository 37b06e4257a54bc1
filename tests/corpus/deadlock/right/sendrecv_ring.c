/* processes: 4
   why: a ring by MPI_Sendrecv */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank, size;
	static int big[300000], in[300000];
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Sendrecv(big, 300000, MPI_INT, (rank + 1) % size, 0, in, 300000, MPI_INT, (rank + size - 1) % size, 0,
		MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return size < 1;
}
