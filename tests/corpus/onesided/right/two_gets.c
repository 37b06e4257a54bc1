/* processes: 3
 * why: any number of processes may get the same place */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	static int memory;
	int got[2];
	memory = rank;
	MPI_Win win;
	MPI_Win_create(&memory, sizeof memory, sizeof memory, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	MPI_Win_lock(MPI_LOCK_SHARED, 0, MPI_MODE_NOCHECK, win);
	MPI_Get(&got[0], 1, MPI_INT, 0, 0, 1, MPI_INT, win);
	MPI_Get(&got[1], 1, MPI_INT, 0, 0, 1, MPI_INT, win);
	MPI_Win_unlock(0, win);
	MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
