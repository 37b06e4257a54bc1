/*
 * processes: 3
 * why: a queue lock (Mellor-Crummey, Scott) that spins on own memory; what it protects is put and got
 */
#include <mpi.h>
#include <stdio.h>

enum { BLOCKED, NEXT, TAIL };
static int rank;
static MPI_Win win;

static int fetch(int target, int disp, MPI_Op op, int value)
{
	int was;
	MPI_Fetch_and_op(&value, &was, MPI_INT, target, disp, op, win);
	MPI_Win_flush(target, win);
	return was;
}

static void acquire(void)
{
	fetch(rank, NEXT, MPI_REPLACE, -1);
	fetch(rank, BLOCKED, MPI_REPLACE, 1);
	int before = fetch(0, TAIL, MPI_REPLACE, rank);
	if (before < 0)
		return;
	fetch(before, NEXT, MPI_REPLACE, rank);
	while (fetch(rank, BLOCKED, MPI_NO_OP, 0))
		;
}

static void release(void)
{
	int next = fetch(rank, NEXT, MPI_NO_OP, 0), none = -1, was;
	if (next < 0) {
		MPI_Compare_and_swap(&none, &rank, &was, MPI_INT, 0, TAIL, win);
		MPI_Win_flush(0, win);
		if (was == rank)
			return;
		while ((next = fetch(rank, NEXT, MPI_NO_OP, 0)) < 0)
			;
	}
	fetch(next, BLOCKED, MPI_REPLACE, 0);
}

int main(int argc, char **argv)
{
	int *mem, size, value;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Win_allocate(8 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &mem, &win);
	MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win);
	mem[TAIL] = mem[NEXT] = -1;
	mem[BLOCKED] = mem[4] = 0;
	MPI_Win_unlock(rank, win);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_lock_all(0, win);
	for (int i = 0; i < 20; i++) {
		acquire();
		MPI_Get(&value, 1, MPI_INT, 0, 4, 1, MPI_INT, win);
		MPI_Win_flush(0, win);
		value++;
		MPI_Put(&value, 1, MPI_INT, 0, 4, 1, MPI_INT, win);
		MPI_Win_flush(0, win);
		release();
	}
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Get(&value, 1, MPI_INT, 0, 4, 1, MPI_INT, win);
	MPI_Win_flush(0, win);
	MPI_Win_unlock_all(win);
	MPI_Win_free(&win);
	printf("%d\n", value == 20 * size);
	MPI_Finalize();
	return 0;
}
