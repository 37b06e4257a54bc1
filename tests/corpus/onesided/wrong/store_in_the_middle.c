/* processes: 2
 * expect: HB-RMA-RACE
 * says: a store of rank 1 writes them there
 * why: rank 1 stores to the middle of its memory in the epoch in which rank 0 gets it */
#include <mpi.h>

static int memory[512];

int main(int argc, char **argv)
{
	int rank, got = 0;
	MPI_Win win;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Win_create(memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	MPI_Win_fence(0, win);
	if (rank == 0)
		MPI_Get(&got, 1, MPI_INT, 1, 300, 1, MPI_INT, win);
	else
		memory[300] = 7;
	MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
	MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
