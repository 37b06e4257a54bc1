/* processes: 2
 * expect: HB-BUFFER-SIZE
 * why: MPI_Get fills more than its block has */
#include <mpi.h>
#include <stdlib.h>

static int memory[16];

int main(int argc, char **argv)
{
	int rank;
	MPI_Win win;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int *local = calloc(8, sizeof *local);
	int *behind = calloc(100, sizeof *behind);
	MPI_Win_create(memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	MPI_Win_fence(0, win);
	MPI_Get(local, 9, MPI_INT, 1 - rank, 0, 9, MPI_INT, win);
	MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
	MPI_Win_free(&win);
	free(local);
	free(behind);
	MPI_Finalize();
	return 0;
}
