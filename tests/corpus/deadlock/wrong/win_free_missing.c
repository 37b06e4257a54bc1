/* processes: 2
 * expect: HB-DEADLOCK-CYCLE
 * why: rank 0 waits for a message that rank 1 sends after MPI_Win_free */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank, v = 1, *mem;
	MPI_Win win;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &mem, &win);
	if (rank == 0)
		MPI_Recv(&v, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Win_free(&win);
	if (rank == 1)
		MPI_Send(&v, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
