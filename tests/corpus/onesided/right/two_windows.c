/*
 * processes: 2
 * why: epochs of two windows at the same time
 */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank, *mem, value = 1;
	MPI_Win win;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Win_allocate(16 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &mem, &win);
	for (int i = 0; i < 16; i++)
		mem[i] = 0;
	MPI_Barrier(MPI_COMM_WORLD);
	static int store;
	MPI_Win second;
	MPI_Win_create(&store, sizeof store, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &second);
	MPI_Win_fence(0, win);
	MPI_Win_lock_all(0, second);
	if (rank == 0) {
		MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
		MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, second);
	}
	MPI_Win_unlock_all(second);
	MPI_Win_fence(0, win);
	MPI_Win_free(&second);
	MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
