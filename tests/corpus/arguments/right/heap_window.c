/* processes: 2
 * why: memory of windows in blocks that are freed after the window, and a block that a window used before */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Win win;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 0; i < 4; i++) {
		int *memory = calloc(64, sizeof *memory), *local = calloc(64, sizeof *local);
		MPI_Win_create(memory + 8, 56 * sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
		MPI_Win_fence(0, win);
		MPI_Put(local + 8, 56, MPI_INT, 1 - rank, 0, 56, MPI_INT, win);
		MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
		MPI_Win_free(&win);
		free(local);
		free(memory);
	}
	MPI_Finalize();
	return 0;
}
