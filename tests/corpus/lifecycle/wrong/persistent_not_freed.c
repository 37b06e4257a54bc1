/* processes: 2
 * expect: HB-LEAK-PERSISTENT
 * why: the persistent requests are never freed */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int v = rank, w;
	MPI_Request r;
	if (rank == 0)
		MPI_Send_init(&v, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &r);
	else
		MPI_Recv_init(&w, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &r);
	MPI_Start(&r);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
