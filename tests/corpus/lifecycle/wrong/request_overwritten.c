/* processes: 2
 * expect: HB-LEAK-REQUEST
 * why: both receives use one variable: the first can never be completed */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int v[2] = {1, 2}, w[2];
	MPI_Request r;
	if (rank == 0) {
		MPI_Send(&v[0], 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
		MPI_Send(&v[1], 1, MPI_INT, 1, 2, MPI_COMM_WORLD);
	} else {
		MPI_Irecv(&w[0], 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &r);
		MPI_Irecv(&w[1], 1, MPI_INT, 0, 2, MPI_COMM_WORLD, &r);
		MPI_Wait(&r, MPI_STATUS_IGNORE);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
