/* processes: 2
 * expect: HB-LEAK-REQUEST
 * why: the request of the receive is never completed */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int v = rank, w;
	MPI_Request r;
	if (rank == 0)
		MPI_Send(&v, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
	else
		MPI_Irecv(&w, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &r);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
