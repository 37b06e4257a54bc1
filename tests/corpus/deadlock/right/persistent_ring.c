/* processes: 3
   why: a persistent ring: all started, then waited for */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank, size;
	int x = 0, y = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Request q[2];
	MPI_Recv_init(&y, 1, MPI_INT, (rank + size - 1) % size, 1, MPI_COMM_WORLD, &q[0]);
	MPI_Send_init(&x, 1, MPI_INT, (rank + 1) % size, 1, MPI_COMM_WORLD, &q[1]);
	for (int i = 0; i < 3; i++) {
		MPI_Startall(2, q);
		MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
	}
	MPI_Request_free(&q[0]);
	MPI_Request_free(&q[1]);
	MPI_Finalize();
	return size < 1;
}
