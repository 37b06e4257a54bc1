/* processes: 2
 * expect: HB-BUFFER-WRITTEN
 * why: the root changes the buffer before the broadcast has completed */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int v = rank;
	MPI_Request r;
	MPI_Ibcast(&v, 1, MPI_INT, 0, MPI_COMM_WORLD, &r);
	if (rank == 0)
		v = 77;
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
