/* processes: 2
   expect: HB-DEADLOCK-CYCLE
   also: HB-MESSAGE-LOST HB-MESSAGE-MISSING HB-LEAK-REQUEST HB-FINALIZE-PENDING
   why: both wait for a large nonblocking send before they receive */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank, size;
	static int big[300000], in[300000];
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Request q;
	MPI_Isend(big, 300000, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, &q);
	MPI_Wait(&q, MPI_STATUS_IGNORE);
	MPI_Recv(in, 300000, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return size < 1;
}
