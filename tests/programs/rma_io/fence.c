/* One-sided communication between fences passes through, beside messages that are recorded. */
#include "expect_coll.h"

int main(int argc, char **argv)
{
	int *memory, v = -1, add;
	MPI_Win win;
	MPI_Status st;

	Init(&argc, &argv);
	int next = (rank + 1) % size, prev = (rank + size - 1) % size;
	MPI_Win_allocate(4 * sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &memory, &win);
	memset(memory, 0, 4 * sizeof(int));
	for (int turn = 1; turn <= 3; turn++) {
		MPI_Win_fence(0, win);
		MPI_Put(&rank, 1, MPI_INT, next, 0, 1, MPI_INT, win);
		add = rank + turn;
		MPI_Accumulate(&add, 1, MPI_INT, 0, 1, 1, MPI_INT, MPI_SUM, win);
		MPI_Win_fence(0, win);
		CHECK(memory[0] == prev);
		MPI_Get(&v, 1, MPI_INT, next, 0, 1, MPI_INT, win);
		MPI_Win_fence(0, win);
		CHECK(v == rank);
	}
	CHECK(rank != 0 || memory[1] == 3 * size * (size - 1) / 2 + 6 * size);
	MPI_Win_free(&win);
	if (rank == 0) {
		for (int i = 1; i < size; i++) {
			MPI_Recv(&v, 1, MPI_INT, MPI_ANY_SOURCE, 1, WORLD, &st);
			out("from %d", v);
		}
	} else {
		linger(300);
		MPI_Send(&rank, 1, MPI_INT, 0, 1, WORLD);
	}
	Finalize();
	return 0;
}
