/* why: locks and fences on one window in turn: the fence before a lock asserts that nothing succeeds it, or the one after it that nothing
 * precedes it; a lock under which nothing is accessed; and locks before the first fence */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank, value = 1;
	static int memory[4];
	MPI_Win win;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Win_create(memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	MPI_Win_lock(MPI_LOCK_SHARED, 1 - rank, 0, win);
	MPI_Put(&value, 1, MPI_INT, 1 - rank, rank, 1, MPI_INT, win);
	MPI_Win_unlock(1 - rank, win);
	for (int i = 0; i < 3; i++) {
		MPI_Barrier(MPI_COMM_WORLD);
		MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
		MPI_Put(&value, 1, MPI_INT, 1 - rank, rank, 1, MPI_INT, win);
		MPI_Win_fence(0, win);
		MPI_Win_lock(MPI_LOCK_SHARED, 1 - rank, 0, win);
		MPI_Win_unlock(1 - rank, win);
		MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
		MPI_Win_lock_all(0, win);
		MPI_Put(&value, 1, MPI_INT, 1 - rank, rank, 1, MPI_INT, win);
		MPI_Win_unlock_all(win);
	}
	MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
