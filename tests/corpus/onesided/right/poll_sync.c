/*
 * processes: 2
 * why: the target looks until a put has come, with MPI_Win_sync
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
	MPI_Win_lock_all(0, win);
	if (rank == 0) {
		MPI_Accumulate(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, MPI_REPLACE, win);
		MPI_Win_flush(1, win);
	}
	int there;
	do {
		MPI_Win_sync(win);
		MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
	} while (rank == 1 && *(volatile int *)mem == 0);
	MPI_Win_unlock_all(win);
	MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
