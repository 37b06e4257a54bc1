/* Memory that MPI allocates for a window holds whatever it held: a neighbour that puts what was there already changes nothing, and it
 * must be there all the same. */
#include "expect.h"

#define N 64 /* ints */

static void soil(void)
{
	for (size_t bytes = 64; bytes < 1 << 16; bytes *= 2) {
		char *p = malloc(bytes);
		memset(p, 0x5a, bytes);
		free(p);
	}
}

int main(int argc, char **argv)
{
	int *memory, zeros[N] = {0}, sum = 0;
	MPI_Win win;

	Init(&argc, &argv);
	soil();
	MPI_Win_allocate(N * sizeof *memory, sizeof *memory, MPI_INFO_NULL, WORLD, &memory, &win);
	MPI_Win_fence(0, win);
	MPI_Put(zeros, N, MPI_INT, (rank + 1) % size, 0, N, MPI_INT, win);
	MPI_Win_fence(0, win);
	for (int i = 0; i < N; i++)
		sum |= memory[i];
	out("all zeros: %d", sum == 0);
	MPI_Win_fence(0, win); /* nobody puts before all have looked */
	MPI_Put(&rank, 1, MPI_INT, (rank + 1) % size, 5, 1, MPI_INT, win);
	MPI_Win_fence(0, win);
	out("from the left: %d, beside it %d", memory[5], memory[6]);
	MPI_Win_free(&win);
	Finalize();
	return 0;
}
