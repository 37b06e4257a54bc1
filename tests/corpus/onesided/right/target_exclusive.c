/*
 * processes: 2
 * why: the target locks its memory itself
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
	if (rank == 0) {
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
		MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
		MPI_Win_unlock(1, win);
	}
	if (rank == 1) {
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
		mem[0]++;
		MPI_Win_unlock(1, win);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
