/* processes: 2
 * expect: HB-BUFFER-TOUCHED
 * why: the receive buffer is written while the receive is pending */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	volatile int w[2] = {0, 0};
	int v[2] = {5, 6};
	MPI_Request r;
	if (rank == 1) {
		MPI_Irecv((void *)w, 2, MPI_INT, 0, 1, MPI_COMM_WORLD, &r);
		w[0] = 3;
		MPI_Barrier(MPI_COMM_WORLD);
		MPI_Wait(&r, MPI_STATUS_IGNORE);
	} else {
		MPI_Barrier(MPI_COMM_WORLD);
		MPI_Send(v, 2, MPI_INT, 1, 1, MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return 0;
}
