/* processes: 2
   expect: HB-DEADLOCK-CYCLE
   why: both send synchronously before they receive */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank, size;
	int x = 0, y = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Ssend(&x, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
	MPI_Recv(&y, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return size < 1;
}
