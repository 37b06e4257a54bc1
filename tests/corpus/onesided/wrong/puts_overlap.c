/* processes: 3
 * expect: HB-RMA-RACE
 * why: the ranges of two puts share their middle */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	static int memory[4];
	int values[3] = {rank, rank, rank};
	MPI_Win win;
	MPI_Win_create(memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	MPI_Win_fence(0, win);
	if (rank == 1)
		MPI_Put(values, 3, MPI_INT, 0, 0, 3, MPI_INT, win);
	if (rank == 2)
		MPI_Put(values, 2, MPI_INT, 0, 2, 2, MPI_INT, win);
	MPI_Win_fence(0, win);
	MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
