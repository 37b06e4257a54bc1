/* processes: 3
 * why: every process puts to a place of its own */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	static int memory[3];
	int value = rank;
	MPI_Win win;
	MPI_Win_create(memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
	for (int i = 0; i < size; i++)
		MPI_Put(&value, 1, MPI_INT, i, rank, 1, MPI_INT, win);
	MPI_Win_fence(MPI_MODE_NOSUCCEED | MPI_MODE_NOSTORE, win);
	MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
