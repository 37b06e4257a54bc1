/* processes: 2
 * expect: HB-BUFFER-WRITTEN
 * why: one element in the middle of a large buffer is changed */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	static int v[20000];
	MPI_Request r;
	if (rank == 0) {
		MPI_Isend(v, 10000, MPI_INT, 1, 1, MPI_COMM_WORLD, &r);
		v[5000] = 77;
		MPI_Wait(&r, MPI_STATUS_IGNORE);
	} else {
		MPI_Recv(v, 10000, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	MPI_Finalize();
	return 0;
}
