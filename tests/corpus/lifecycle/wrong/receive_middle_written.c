/* expect: HB-BUFFER-TOUCHED
 * why: one element in the middle of a receive buffer is written before the receive has completed */
#include <mpi.h>

int main(int argc, char **argv)
{
	static int a[200];
	int rank;
	MPI_Request r;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0) {
		MPI_Send(a, 200, MPI_INT, 1, 3, MPI_COMM_WORLD);
	} else {
		MPI_Irecv(a, 200, MPI_INT, 0, 3, MPI_COMM_WORLD, &r);
		a[71] = 9;
		MPI_Wait(&r, MPI_STATUS_IGNORE);
	}
	MPI_Finalize();
	return 0;
}
