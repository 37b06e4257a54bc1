/*
 * processes: 3
 * why: a ticket lock with fetch-and-add; and a counter of work that each takes from
 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	int *mem, rank, size, one = 1, zero = 0, ticket, now, value, done = 0, total;
	MPI_Win win;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Win_allocate(8 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &mem, &win);
	for (int i = 0; i < 8; i++)
		mem[i] = 0;
	MPI_Win_lock_all(0, win);
	MPI_Win_sync(win);
	MPI_Barrier(MPI_COMM_WORLD);
	for (int i = 0; i < 10; i++) {
		MPI_Fetch_and_op(&one, &ticket, MPI_INT, 0, 0, MPI_SUM, win);
		MPI_Win_flush(0, win);
		do {
			MPI_Get_accumulate(&zero, 1, MPI_INT, &now, 1, MPI_INT, 0, 1, 1, MPI_INT, MPI_NO_OP, win);
			MPI_Win_flush(0, win);
		} while (now != ticket);
		MPI_Get(&value, 1, MPI_INT, 0, 2, 1, MPI_INT, win);
		MPI_Win_flush(0, win);
		value += 2;
		MPI_Put(&value, 1, MPI_INT, 0, 2, 1, MPI_INT, win);
		MPI_Win_flush(0, win);
		MPI_Accumulate(&one, 1, MPI_INT, 0, 1, 1, MPI_INT, MPI_SUM, win);
		MPI_Win_flush(0, win);
	}
	for (;;) {
		MPI_Fetch_and_op(&one, &now, MPI_INT, 0, 3, MPI_SUM, win);
		MPI_Win_flush_local(0, win);
		if (now >= 50)
			break;
		done++;
	}
	MPI_Win_unlock_all(win);
	MPI_Reduce(&done, &total, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
	if (!rank) {
		MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
		printf("%d %d\n", mem[2] == 20 * size, total);
		MPI_Win_unlock(0, win);
	}
	MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
