/* processes: 2
 * why: the receive is cancelled and completed */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int w;
	MPI_Request r;
	MPI_Irecv(&w, 1, MPI_INT, MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &r);
	MPI_Cancel(&r);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	(void)rank;
	MPI_Finalize();
	return 0;
}
