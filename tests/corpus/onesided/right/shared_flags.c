/*
 * processes: 3
 * why: shared memory with plain loads and stores, ordered by MPI_Win_sync and barriers, and by flags
 */
#include <mpi.h>
#include <stdatomic.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	int rank, size, unit;
	MPI_Aint bytes;
	MPI_Win win;
	double *mine, *left;
	MPI_Comm node;
	MPI_Init(&argc, &argv);
	MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
	MPI_Comm_rank(node, &rank);
	MPI_Comm_size(node, &size);
	MPI_Win_allocate_shared(8 * sizeof(double), sizeof(double), MPI_INFO_NULL, node, &mine, &win);
	MPI_Win_shared_query(win, (rank + size - 1) % size, &bytes, &unit, &left);
	MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
	for (int i = 0; i < 8; i++)
		mine[i] = 0;
	MPI_Win_sync(win);
	MPI_Barrier(node);
	for (int step = 0; step < 5; step++) {
		mine[0] = rank + step;
		MPI_Win_sync(win);
		MPI_Barrier(node);
		MPI_Win_sync(win);
		mine[1] += left[0];
		MPI_Win_sync(win);
		MPI_Barrier(node);
		MPI_Win_sync(win);
	}
	/* around the ring by a flag */
	_Atomic int *flag = (_Atomic int *)&mine[4], *before = (_Atomic int *)&left[4];
	if (rank > 0)
		while (!atomic_load(before))
			MPI_Win_sync(win);
	mine[5] = rank ? left[5] + 1 : 1;
	MPI_Win_sync(win);
	atomic_store(flag, 1);
	MPI_Win_sync(win);
	MPI_Barrier(node);
	double last = mine[5], sum = mine[1];
	MPI_Win_unlock_all(win);
	MPI_Win_free(&win);
	MPI_Comm_free(&node);
	printf("%g %g\n", last, sum);
	MPI_Finalize();
	return 0;
}
