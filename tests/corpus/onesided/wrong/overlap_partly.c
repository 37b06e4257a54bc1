/*
 * processes: 3
 * expect: HB-RMA-RACE
 * why: two puts of which the last and the first element are the same
 */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank, *mem;
	MPI_Win win;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Win_allocate(16 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &mem, &win);
	for (int i = 0; i < 16; i++)
		mem[i] = 0;
	MPI_Barrier(MPI_COMM_WORLD);
	int values[4] = {1, 2, 3, 4};
	MPI_Win_fence(0, win);
	if (rank == 1)
		MPI_Put(values, 4, MPI_INT, 0, 0, 4, MPI_INT, win);
	if (rank == 2)
		MPI_Put(values, 4, MPI_INT, 0, 3, 4, MPI_INT, win);
	MPI_Win_fence(0, win);
	MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
