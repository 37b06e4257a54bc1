/* processes: 2
 * expect: HB-DEADLOCK-CYCLE
 * why: each process holds the lock that the other one wants */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank, v = 1, *mem;
	MPI_Win win;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &mem, &win);
	MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win);
	MPI_Put(&v, 1, MPI_INT, rank, 0, 1, MPI_INT, win);
	MPI_Win_flush(rank, win);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_lock(MPI_LOCK_EXCLUSIVE, !rank, 0, win);
	MPI_Put(&v, 1, MPI_INT, !rank, 0, 1, MPI_INT, win);
	MPI_Win_unlock(!rank, win);
	MPI_Win_unlock(rank, win);
	MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
