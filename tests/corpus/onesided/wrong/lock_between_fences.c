/* expect: HB-RMA-EPOCH-TWICE
 * says: accesses under a lock came between this MPI_Win_fence and the one before it
 * why: a lock with a put between two fences that assert nothing: the fences make an epoch around that of the lock */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank, value = 1;
	static int memory[4];
	MPI_Win win;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Win_create(memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	MPI_Win_fence(0, win);
	if (rank == 0) {
		MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
		MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
		MPI_Win_unlock(1, win);
	}
	MPI_Win_fence(0, win);
	MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
