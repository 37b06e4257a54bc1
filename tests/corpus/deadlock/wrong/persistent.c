/* processes: 2
   expect: HB-DEADLOCK-CYCLE
   also: HB-MESSAGE-LOST HB-MESSAGE-MISSING HB-LEAK-REQUEST HB-FINALIZE-PENDING
   why: starts a persistent receive and waits before it starts the send */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank, size;
	int x = 0, y = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Request q[2];
	MPI_Recv_init(&x, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, &q[0]);
	MPI_Send_init(&y, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, &q[1]);
	MPI_Start(&q[0]);
	MPI_Wait(&q[0], MPI_STATUS_IGNORE);
	MPI_Start(&q[1]);
	MPI_Wait(&q[1], MPI_STATUS_IGNORE);
	MPI_Request_free(&q[0]);
	MPI_Request_free(&q[1]);
	MPI_Finalize();
	return size < 1;
}
