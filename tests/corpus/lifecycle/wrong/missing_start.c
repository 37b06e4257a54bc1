/* processes: 2
 * expect: HB-REQUEST-INACTIVE
 * also: HB-MESSAGE-LOST
 * why: the persistent receive is waited for and freed, but never started */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int v = rank, w = 0;
	MPI_Request r;
	if (rank == 0) {
		MPI_Send(&v, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
	} else {
		MPI_Recv_init(&w, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &r);
		MPI_Wait(&r, MPI_STATUS_IGNORE);
		MPI_Request_free(&r);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
