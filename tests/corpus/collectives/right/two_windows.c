/* why: two windows of one communicator, used first in different orders under locks */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	static int memory[2];
	int value = 3;
	MPI_Win win[2];
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 0; i < 2; i++)
		MPI_Win_create(&memory[i], sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &win[i]);
	MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win[rank]);
	MPI_Put(&value, 1, MPI_INT, rank, 0, 1, MPI_INT, win[rank]);
	MPI_Win_unlock(rank, win[rank]);
	MPI_Win_fence(0, win[0]);
	MPI_Win_fence(0, win[1]);
	MPI_Win_free(&win[0]);
	MPI_Win_free(&win[1]);
	MPI_Finalize();
	return 0;
}
