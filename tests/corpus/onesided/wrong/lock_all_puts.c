/* processes: 3
 * expect: HB-RMA-RACE
 * why: lock_all is shared too: a put and a get of the same place */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int *memory, value = rank;
	MPI_Win win;
	MPI_Win_allocate(sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
	MPI_Win_lock_all(0, win);
	if (rank == 1)
		MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
	if (rank == 2)
		MPI_Get(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
	MPI_Win_unlock_all(win);
	MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
