/*
 * processes: 2
 * why: the fence orders no calls, but nobody touches the target's memory before the target has called it
 */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank, *mem, value = 1;
	MPI_Win win;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Win_allocate(16 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &mem, &win);
	if (rank == 0)
		MPI_Recv(mem, 16, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	else
		MPI_Send(mem, 16, MPI_INT, 0, 0, MPI_COMM_WORLD);
	MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
	if (rank == 1)
		MPI_Put(&value, 1, MPI_INT, 0, 3, 1, MPI_INT, win);
	MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
	MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
