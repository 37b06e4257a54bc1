/* processes: 2
   expect: HB-DEADLOCK-CYCLE
   also: HB-MESSAGE-LOST HB-MESSAGE-MISSING HB-LEAK-REQUEST HB-FINALIZE-PENDING
   why: each waits for a receive before it sends */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank, size;
	int x = 0, y = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Request q[2];
	MPI_Irecv(&x, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, &q[0]);
	MPI_Irecv(&y, 1, MPI_INT, 1 - rank, 2, MPI_COMM_WORLD, &q[1]);
	if (rank)
		MPI_Send(&rank, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
	MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
	MPI_Send(&rank, 1, MPI_INT, 1 - rank, 2, MPI_COMM_WORLD);
	if (!rank)
		MPI_Send(&rank, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
	MPI_Finalize();
	return size < 1;
}
