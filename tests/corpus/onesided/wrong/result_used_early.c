/* expect: HB-RMA-LOCAL
 * why: what a get brings is sent on before the get is complete */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	static int memory;
	int got = -1, other;
	memory = rank;
	MPI_Win win;
	MPI_Win_create(&memory, sizeof memory, sizeof memory, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	MPI_Win_fence(0, win);
	if (rank == 1) {
		MPI_Get(&got, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
		MPI_Send(&got, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	} else
		MPI_Recv(&other, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Win_fence(0, win);
	MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
