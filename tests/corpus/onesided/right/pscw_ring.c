/*
 * processes: 3
 * why: each process exposes its memory to one neighbour, accesses the other, and uses its memory between two exposures
 */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank, size, *mem;
	MPI_Win win;
	MPI_Group all, to, from;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	int next = (rank + 1) % size, before = (rank + size - 1) % size;
	MPI_Comm_group(MPI_COMM_WORLD, &all);
	MPI_Group_incl(all, 1, &next, &to);
	MPI_Group_incl(all, 1, &before, &from);
	MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &mem, &win);
	*mem = -1;
	for (int turn = 0; turn < 3; turn++) {
		MPI_Win_post(from, 0, win);
		MPI_Win_start(to, 0, win);
		MPI_Put(&rank, 1, MPI_INT, next, 0, 1, MPI_INT, win);
		MPI_Win_complete(win);
		MPI_Win_wait(win);
		*mem += 1;
	}
	MPI_Win_free(&win);
	MPI_Group_free(&all);
	MPI_Group_free(&to);
	MPI_Group_free(&from);
	MPI_Finalize();
	return 0;
}
