/* why: accesses of nothing and of nobody */
#include <mpi.h>
#include <stddef.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	static int memory;
	MPI_Win win;
	MPI_Win_create(rank ? NULL : &memory, rank ? 0 : sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	MPI_Win_fence(0, win);
	MPI_Put(&memory, 1, MPI_INT, MPI_PROC_NULL, 1000, 1, MPI_INT, win);
	MPI_Put(NULL, 0, MPI_INT, 0, 0, 0, MPI_INT, win);
	MPI_Win_fence(0, win);
	MPI_Win_fence(0, win);
	MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
