/* processes: 2
   expect: HB-DEADLOCK-CYCLE
   also: HB-LEAK-WIN HB-COLLECTIVE-MISSING HB-RMA-EPOCH-OPEN HB-MESSAGE-LOST HB-MESSAGE-MISSING HB-LEAK-REQUEST HB-FINALIZE-PENDING
   why: one process calls MPI_Win_fence once more */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank, size;
	int x = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Win win;
	MPI_Win_create(&x, sizeof x, sizeof x, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	MPI_Win_fence(0, win);
	if (rank == 0)
		MPI_Recv(&x, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Win_fence(0, win);
	if (rank == 1)
		MPI_Send(&x, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
	MPI_Win_free(&win);
	MPI_Finalize();
	return size < 1;
}
