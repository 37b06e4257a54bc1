/* why: stores, puts and gets of the same place, each in an epoch of its own */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	static int memory;
	int value = rank, got;
	MPI_Win win;
	MPI_Win_create(&memory, sizeof memory, sizeof memory, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	memory = 5;
	MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
	if (rank == 1)
		MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
	MPI_Win_fence(0, win);
	value = 8;
	MPI_Get(&got, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
	MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
	memory = got;
	MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
