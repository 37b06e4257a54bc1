/*
 * processes: 2
 * expect: HB-RMA-TYPE
 * also: HB-CALL-FAILED
 * why: two elements there for one here
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
	int values[2] = {1, 2};
	MPI_Win_fence(0, win);
	if (rank == 0)
		MPI_Put(values, 2, MPI_INT, 1, 0, 1, MPI_INT, win);
	MPI_Win_fence(0, win);
	MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
