/* processes: 2
 * expect: HB-BUFFER-OVERLAP
 * why: the buffer of a pending receive is sent from */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int v = rank, w = 5;
	MPI_Request r;
	if (rank == 1) {
		MPI_Irecv(&w, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &r);
		MPI_Send(&w, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
		MPI_Wait(&r, MPI_STATUS_IGNORE);
	} else {
		MPI_Recv(&w, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Send(&v, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return 0;
}
