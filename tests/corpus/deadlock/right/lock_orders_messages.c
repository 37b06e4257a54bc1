/* processes: 3
 * why: rank 1 sends only after it had the lock that rank 0 holds until its receive from any rank is over */
#include <mpi.h>
#include <stddef.h>

int main(int argc, char **argv)
{
	int rank, *memory, one = 1;
	MPI_Win win;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Win_allocate(sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
	if (rank == 0) {
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
		*memory = 0;
		MPI_Send(NULL, 0, MPI_INT, 1, 3, MPI_COMM_WORLD);
		MPI_Recv(NULL, 0, MPI_INT, MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* of rank 2 */
		MPI_Win_unlock(0, win);
		MPI_Recv(NULL, 0, MPI_INT, 1, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	} else if (rank == 1) {
		MPI_Recv(NULL, 0, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
		MPI_Put(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
		MPI_Win_unlock(0, win);
		MPI_Send(NULL, 0, MPI_INT, 0, 4, MPI_COMM_WORLD);
	} else {
		MPI_Send(NULL, 0, MPI_INT, 0, 4, MPI_COMM_WORLD);
	}
	MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
