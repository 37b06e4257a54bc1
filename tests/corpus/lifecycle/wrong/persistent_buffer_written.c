/* processes: 2
 * expect: HB-BUFFER-WRITTEN
 * why: the buffer is changed between MPI_Start and MPI_Wait */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int v = rank, w;
	MPI_Request r;
	if (rank == 0) {
		MPI_Send_init(&v, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &r);
		MPI_Start(&r);
		v = 77;
		MPI_Wait(&r, MPI_STATUS_IGNORE);
		MPI_Request_free(&r);
	} else {
		MPI_Recv(&w, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	MPI_Finalize();
	return 0;
}
