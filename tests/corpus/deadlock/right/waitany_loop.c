/* processes: 2
   why: completes what comes first until all are done */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank, size;
	int x = 0, y = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Request q[2];
	int index;
	MPI_Irecv(&y, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, &q[0]);
	MPI_Isend(&x, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, &q[1]);
	for (int i = 0; i < 2; i++)
		MPI_Waitany(2, q, &index, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return size < 1;
}
