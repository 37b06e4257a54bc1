/* expect: HB-COLLECTIVE-VALUE
 * also: HB-RMA-EPOCH-NONE HB-CALL-FAILED
 * why: MPI_MODE_NOSUCCEED has to be given by all processes of the window (MPI 4.0, 12.5.5) */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	static int memory[4];
	MPI_Win win;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
	MPI_Win_fence(rank == 0 ? MPI_MODE_NOSUCCEED : 0, win);
	MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
