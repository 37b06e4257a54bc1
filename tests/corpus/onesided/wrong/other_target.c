/* processes: 3
 * expect: HB-RMA-EPOCH-NONE
 * also: HB-CALL-FAILED HB-FINALIZE-MISSING HB-DEADLOCK-ORPHAN HB-DEADLOCK-CYCLE HB-LEAK-WIN
 * why: the lock is for process 0, the put goes to process 1 */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	static int memory;
	int value = rank;
	MPI_Win win;
	MPI_Win_create(&memory, sizeof memory, sizeof memory, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	if (rank == 2) {
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
		MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
		MPI_Win_unlock(0, win);
	}
	MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
