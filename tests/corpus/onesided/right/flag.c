/*
 * processes: 3
 * why: a flag that is set by an accumulate and read until it is set
 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	int rank, *mem, value = 1, got = 0;
	MPI_Win win;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Win_allocate(16 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &mem, &win);
	for (int i = 0; i < 16; i++)
		mem[i] = 0;
	MPI_Barrier(MPI_COMM_WORLD);
	int zero = 0;
	MPI_Win_lock_all(0, win);
	if (rank == 1) {
		MPI_Put(&value, 1, MPI_INT, 0, 1, 1, MPI_INT, win);
		MPI_Win_flush(0, win);
		MPI_Accumulate(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_REPLACE, win);
		MPI_Win_flush(0, win);
	}
	while (rank == 2 && !got) {
		MPI_Fetch_and_op(&zero, &got, MPI_INT, 0, 0, MPI_NO_OP, win);
		MPI_Win_flush(0, win);
	}
	if (rank == 2)
		MPI_Get(&zero, 1, MPI_INT, 0, 1, 1, MPI_INT, win);
	MPI_Win_unlock_all(win);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_free(&win);
	if (got < 0)
		printf("%d\n", got);
	MPI_Finalize();
	return 0;
}
