/* processes: 3
 * why: a counter and a flag by atomic operations only */
#include <mpi.h>

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	static int memory[2];
	int one = 1, zero = 0, old;
	MPI_Win win;
	MPI_Win_create(memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	MPI_Win_lock_all(0, win);
	MPI_Fetch_and_op(&one, &old, MPI_INT, 0, 0, MPI_SUM, win);
	MPI_Win_flush(0, win);
	MPI_Compare_and_swap(&one, &zero, &old, MPI_INT, 0, 1, win);
	MPI_Win_flush(0, win);
	MPI_Win_unlock_all(win);
	MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
