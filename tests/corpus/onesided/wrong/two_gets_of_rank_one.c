/*
 * processes: 2
 * expect: HB-RMA-LOCAL
 * says: MPI_Get of rank 1: MPI_Get writes to the buffer that MPI_Get from rank 0 fills
 * why: two gets of rank 1 fill the same buffer in one epoch: it is rank 1 that is told of, not the target
 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	int rank, *mem, got = 0;
	MPI_Win win;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Win_allocate(16 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &mem, &win);
	for (int i = 0; i < 16; i++)
		mem[i] = 0;
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_fence(0, win);
	if (rank == 1) {
		MPI_Get(&got, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
		MPI_Get(&got, 1, MPI_INT, 0, 1, 1, MPI_INT, win);
	}
	MPI_Win_fence(0, win);
	MPI_Win_free(&win);
	if (got < 0)
		printf("%d\n", got);
	MPI_Finalize();
	return 0;
}
