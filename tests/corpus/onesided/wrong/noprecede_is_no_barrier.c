/*
 * processes: 3
 * expect: HB-RMA-RACE
 * why: a fence that ends no epoch waits for nobody, so it does not keep the second put behind the first one
 */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank, *mem, value = 1;
	MPI_Win win;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	value = rank;
	MPI_Win_allocate(16 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &mem, &win);
	if (rank == 1) {
		MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
		MPI_Put(&value, 1, MPI_INT, 0, 3, 1, MPI_INT, win);
		MPI_Win_unlock(0, win);
	}
	MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
	if (rank == 2)
		MPI_Put(&value, 1, MPI_INT, 0, 3, 1, MPI_INT, win);
	MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
	MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
