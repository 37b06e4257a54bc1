/* processes: 2
 * why: an active send may be freed: here the answer tells that it arrived */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int v = rank, w;
	MPI_Request r;
	if (rank == 0) {
		MPI_Isend(&v, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &r);
		MPI_Request_free(&r);
		MPI_Recv(&w, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		v = 7;
	} else {
		MPI_Recv(&w, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Send(&v, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return 0;
}
