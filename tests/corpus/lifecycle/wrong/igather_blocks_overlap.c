/* processes: 2
 * expect: HB-BUFFER-OVERLAP
 * why: the pending gather and the receive share a block at the root */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int v = rank, all[2], w = 3;
	MPI_Request r;
	MPI_Igather(&v, 1, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD, &r);
	if (rank == 0)
		MPI_Recv(&all[1], 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	else
		MPI_Send(&w, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
