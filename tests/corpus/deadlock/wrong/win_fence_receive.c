/* processes: 3
 * expect: HB-DEADLOCK-CYCLE
 * why: rank 2 waits for a message that rank 0 sends after the fence */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank, v = 1, *mem;
	MPI_Win other, win;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &mem, &other);
	MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &mem, &win);
	MPI_Win_fence(0, win);
	MPI_Win_fence(0, other);
	if (rank == 2)
		MPI_Recv(&v, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Win_fence(0, win);
	if (rank == 0)
		MPI_Send(&v, 1, MPI_INT, 2, 0, MPI_COMM_WORLD);
	MPI_Win_free(&win);
	MPI_Win_free(&other);
	MPI_Finalize();
	return 0;
}
