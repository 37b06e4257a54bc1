/* processes: 2
   expect: HB-DEADLOCK-ORPHAN
   also: HB-MESSAGE-LOST HB-MESSAGE-MISSING HB-LEAK-REQUEST HB-FINALIZE-PENDING
   why: sends to itself synchronously without a receive posted */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank, size;
	int x = 0, y = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (rank == 0) {
		MPI_Ssend(&x, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
		MPI_Recv(&y, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	MPI_Finalize();
	return size < 1;
}
