/* processes: 2
   why: a send to itself with the receive posted */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank, size;
	int x = 0, y = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Request q;
	MPI_Irecv(&y, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, &q);
	MPI_Ssend(&x, 1, MPI_INT, rank, 0, MPI_COMM_WORLD);
	MPI_Wait(&q, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return size < 1;
}
