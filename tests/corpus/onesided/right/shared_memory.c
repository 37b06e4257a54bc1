/* why: a shared window, loads and stores with barriers and MPI_Win_sync between them */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int *mine, *other, unit;
	MPI_Aint bytes;
	MPI_Win win;
	MPI_Win_allocate_shared(sizeof *mine, sizeof *mine, MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
	MPI_Win_shared_query(win, 1 - rank, &bytes, &unit, &other);
	MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
	*mine = rank;
	MPI_Win_sync(win);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_sync(win);
	int wrong = *other != 1 - rank;
	MPI_Win_unlock_all(win);
	MPI_Win_free(&win);
	MPI_Finalize();
	return wrong;
}
