/* why: the receive is posted before the barrier, and the ready send comes after it */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	int value = 1;
	MPI_Request request = MPI_REQUEST_NULL;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 1)
		MPI_Irecv(&value, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, &request);
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 0)
		MPI_Rsend(&value, 1, MPI_INT, 1, 3, MPI_COMM_WORLD);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
