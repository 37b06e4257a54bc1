/* why: lock_all for the whole time; a flush and a barrier order put before get */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int *memory, value = rank, got;
	MPI_Win win;
	MPI_Win_allocate(sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
	MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
	if (rank == 1) {
		MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
		MPI_Win_flush(0, win);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Get(&got, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
	MPI_Win_flush_local(0, win);
	MPI_Win_unlock_all(win);
	MPI_Win_free(&win);
	return MPI_Finalize() || got != 1;
}
