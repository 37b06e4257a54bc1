/*
 * processes: 2
 * expect: HB-RMA-LOCAL
 * why: the program reads what a get fills before the flush
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
	MPI_Win_lock_all(0, win);
	if (rank == 0) {
		MPI_Get(&got, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
		value += got;
		MPI_Win_flush(1, win);
	}
	MPI_Win_unlock_all(win);
	got = value;
	MPI_Win_free(&win);
	if (got < 0)
		printf("%d\n", got);
	MPI_Finalize();
	return 0;
}
