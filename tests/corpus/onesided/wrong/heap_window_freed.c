/* processes: 2
 * expect: HB-RMA-MEMORY
 * says: was freed before the window
 * why: a small block is freed while it is the memory of a window */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	MPI_Win win;
	MPI_Init(&argc, &argv);
	int *memory = calloc(16, sizeof *memory);
	MPI_Win_create(memory, 16 * sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	MPI_Win_fence(0, win);
	MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
	free(memory);
	MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
