/* Locks, atomics and requests of one-sided operations that meet an ordinary Waitall. */
#include "expect.h"

int main(int argc, char **argv)
{
	int *memory, one = 1, old, v[2] = {0};
	MPI_Win win;
	MPI_Request r[2];

	Init(&argc, &argv);
	MPI_Win_allocate(4 * sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &memory, &win);
	memset(memory, 0, 4 * sizeof(int));
	MPI_Barrier(WORLD);
	for (int i = 0; i < 10; i++) {
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
		MPI_Fetch_and_op(&one, &old, MPI_INT, 0, 0, MPI_SUM, win);
		MPI_Win_unlock(0, win);
		CHECK(old < 10 * size);
	}
	MPI_Win_lock_all(0, win);
	MPI_Rput(&rank, 1, MPI_INT, (rank + 1) % size, 1, 1, MPI_INT, win, &r[0]);
	MPI_Irecv(&v[0], 1, MPI_INT, rank, 3, WORLD, &r[1]);
	MPI_Send(&one, 1, MPI_INT, rank, 3, WORLD);
	MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
	MPI_Win_flush((rank + 1) % size, win);
	MPI_Win_unlock_all(win);
	MPI_Barrier(WORLD);
	MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
	MPI_Rget(&v[1], 1, MPI_INT, 0, 0, 1, MPI_INT, win, &r[0]);
	MPI_Wait(&r[0], MPI_STATUS_IGNORE);
	MPI_Win_unlock(0, win);
	CHECK(v[0] == 1 && v[1] == 10 * size);
	out("%d", v[1]);
	MPI_Win_free(&win);
	Finalize();
	return 0;
}
