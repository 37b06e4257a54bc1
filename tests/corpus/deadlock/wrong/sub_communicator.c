/* processes: 4
   expect: HB-DEADLOCK-CYCLE
   also: HB-LEAK-COMM HB-MESSAGE-LOST HB-MESSAGE-MISSING HB-LEAK-REQUEST HB-FINALIZE-PENDING
   why: two pairs, each in a communicator of its own, wait for each other */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank, size;
	int x = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Comm half;
	MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
	int mine;
	MPI_Comm_rank(half, &mine);
	MPI_Recv(&x, 1, MPI_INT, 1 - mine, 1, half, MPI_STATUS_IGNORE);
	MPI_Send(&x, 1, MPI_INT, 1 - mine, 1, half);
	MPI_Comm_free(&half);
	MPI_Finalize();
	return size < 1;
}
