/* processes: 2
 * why: the buffer of a persistent send changes between completion and the next start */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int v = 0, w = 0;
	MPI_Request r;
	if (rank == 0)
		MPI_Send_init(&v, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &r);
	else
		MPI_Recv_init(&w, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &r);
	for (int i = 0; i < 5; i++) {
		v = i;
		MPI_Start(&r);
		MPI_Wait(&r, MPI_STATUS_IGNORE);
		w += v;
	}
	MPI_Request_free(&r);
	MPI_Finalize();
	return 0;
}
