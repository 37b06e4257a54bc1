/* expect: HB-RMA-TYPE
 * also: HB-RMA-RANGE
 * why: integers are put as floats: signatures of origin and target must be equal (MPI 4.0, 12.3.1) */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	static float memory;
	int value = rank;
	MPI_Win win;
	MPI_Win_create(&memory, sizeof memory, sizeof memory, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	MPI_Win_fence(0, win);
	if (rank == 1)
		MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_FLOAT, win);
	MPI_Win_fence(0, win);
	MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
