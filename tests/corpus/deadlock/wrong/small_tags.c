/* processes: 2
   expect: HB-DEADLOCK-POTENTIAL
   why: received in another order than sent, each with its tag */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank, size;
	int x = 0, y = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (rank == 0) {
		MPI_Send(&x, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
		MPI_Send(&x, 1, MPI_INT, 1, 2, MPI_COMM_WORLD);
	} else if (rank == 1) {
		MPI_Recv(&y, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Recv(&y, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	MPI_Finalize();
	return size < 1;
}
