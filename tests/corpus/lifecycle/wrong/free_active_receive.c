/* processes: 2
 * expect: HB-REQUEST-LOST
 * also: HB-MESSAGE-LOST
 * why: after it is freed nothing tells when the receive completes */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int v = rank, w;
	MPI_Request r;
	if (rank == 1) {
		MPI_Irecv(&w, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &r);
		MPI_Request_free(&r);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 0)
		MPI_Send(&v, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
