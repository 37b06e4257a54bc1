/* processes: 3
 * expect: HB-DEADLOCK-CYCLE|HB-DEADLOCK-ORPHAN
 * also: HB-DEADLOCK-CYCLE HB-DEADLOCK-ORPHAN HB-RMA-EPOCH-OPEN
 * why: rank 2 never gives its lock back and waits for the others */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank, v = 1, *mem;
	MPI_Win win;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &mem, &win);
	if (rank == 2) {
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
		MPI_Put(&v, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
		MPI_Win_flush(0, win);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank < 2) {
		MPI_Win_lock_all(0, win);
		MPI_Fetch_and_op(&v, mem, MPI_INT, 0, 0, MPI_NO_OP, win);
		MPI_Win_unlock_all(win);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 2)
		MPI_Win_unlock(0, win);
	MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
