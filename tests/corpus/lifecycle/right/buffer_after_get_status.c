/* processes: 2
 * why: MPI_Request_get_status has told that the send is complete */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int v = rank, w, done = 0;
	MPI_Request r;
	if (rank == 0) {
		MPI_Isend(&v, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &r);
		while (!done)
			MPI_Request_get_status(r, &done, MPI_STATUS_IGNORE);
		v = 77;
		MPI_Wait(&r, MPI_STATUS_IGNORE);
	} else {
		MPI_Recv(&w, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	MPI_Finalize();
	return 0;
}
