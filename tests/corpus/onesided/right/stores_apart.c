/* processes: 2
 * why: stores to memory of the own window in another epoch than the Get of it, beside what is put there, and before the barrier of a lock */
#include <mpi.h>
#include <stdlib.h>

#define N 2000

int main(int argc, char **argv)
{
	int rank, got[10] = {0};
	MPI_Win win;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int *memory = calloc(N, sizeof *memory), other = 1 - rank;
	MPI_Win_create(memory, N * sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	for (int step = 1; step <= 12; step++) {
		for (int i = 0; i < 20; i++)
			memory[100 * i] = step;
		MPI_Win_fence(0, win);
		MPI_Get(got, 10, MPI_INT, other, 100 * step, 10, MPI_INT, win);
		MPI_Put(&step, 1, MPI_INT, other, 100 * step + 20, 1, MPI_INT, win);
		for (int i = 30; i < 99; i++)
			memory[100 * step + i] = step;
		MPI_Win_fence(0, win);
		memory[100 * step + 20]++;
		MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
	}
	for (int step = 1; step <= 5; step++) {
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win);
		for (int i = 0; i < N; i++)
			memory[i] += step;
		MPI_Win_unlock(rank, win);
		MPI_Barrier(MPI_COMM_WORLD);
		MPI_Win_lock(MPI_LOCK_SHARED, other, 0, win);
		MPI_Get(got, 10, MPI_INT, other, 7 * step, 10, MPI_INT, win);
		MPI_Win_unlock(other, win);
		MPI_Barrier(MPI_COMM_WORLD);
	}
	MPI_Win_free(&win);
	free(memory);
	MPI_Finalize();
	return 0;
}
