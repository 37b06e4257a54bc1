/* processes: 2
 * expect: HB-RMA-RACE
 * says: a store of rank 1 writes them there
 * why: in each step rank 1 changes what rank 0 gets in the same epoch, far in a large window */
#include <mpi.h>
#include <stdlib.h>

#define N 16384

int main(int argc, char **argv)
{
	int rank, got = 0;
	MPI_Win win;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int *memory = calloc(N, sizeof *memory);
	MPI_Win_create(memory, N * sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	MPI_Win_fence(0, win);
	for (int step = 1; step <= 40; step++) {
		if (rank == 0)
			MPI_Get(&got, 1, MPI_INT, 1, N - 100, 1, MPI_INT, win);
		else
			memory[N - 100] = step;
		MPI_Win_fence(0, win);
	}
	MPI_Win_free(&win);
	free(memory);
	MPI_Finalize();
	return 0;
}
