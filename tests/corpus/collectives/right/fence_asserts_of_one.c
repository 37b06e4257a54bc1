/* why: assertions about its own memory each process gives for itself */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	static int memory[4];
	MPI_Win win;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	MPI_Win_fence(MPI_MODE_NOPRECEDE | (rank == 0 ? MPI_MODE_NOSTORE : MPI_MODE_NOPUT), win);
	MPI_Win_fence(rank == 0 ? MPI_MODE_NOSUCCEED : MPI_MODE_NOSUCCEED | MPI_MODE_NOSTORE, win);
	MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
