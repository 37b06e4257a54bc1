/* Post, start, complete, wait between neighbours; a poll by Win_test at the other end. */
#include "expect.h"

int main(int argc, char **argv)
{
	int *memory, yes = 0;
	MPI_Win win;
	MPI_Group all, to, from;

	Init(&argc, &argv);
	int next = (rank + 1) % size, prev = (rank + size - 1) % size;
	MPI_Comm_group(WORLD, &all);
	MPI_Group_incl(all, 1, &next, &to);
	MPI_Group_incl(all, 1, &prev, &from);
	MPI_Alloc_mem(sizeof *memory, MPI_INFO_NULL, &memory);
	*memory = -1;
	MPI_Win_create(memory, sizeof *memory, sizeof *memory, MPI_INFO_NULL, WORLD, &win);
	for (int turn = 0; turn < 4; turn++) {
		MPI_Win_post(from, 0, win);
		MPI_Win_start(to, 0, win);
		MPI_Put(&rank, 1, MPI_INT, next, 0, 1, MPI_INT, win);
		MPI_Win_complete(win);
		if (turn % 2) {
			MPI_Win_wait(win);
		} else {
			yes = 0;
			while (!yes)
				MPI_Win_test(win, &yes);
		}
		CHECK(*memory == prev);
		*memory = -1;
	}
	MPI_Win_free(&win);
	MPI_Free_mem(memory);
	MPI_Group_free(&all);
	MPI_Group_free(&to);
	MPI_Group_free(&from);
	Finalize();
	return 0;
}
