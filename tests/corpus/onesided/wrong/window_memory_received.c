/* expect: HB-RMA-RACE|HB-RMA-LOCAL|HB-BUFFER-TOUCHED
 * also: HB-RMA-RACE HB-RMA-LOCAL HB-BUFFER-TOUCHED
 * why: the target receives a message into its window while another process puts there */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	static int memory;
	int value = rank;
	MPI_Win win;
	MPI_Win_create(&memory, sizeof memory, sizeof memory, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	MPI_Win_fence(0, win);
	if (rank == 1) {
		MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
		MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	} else
		MPI_Recv(&memory, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Win_fence(0, win);
	MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
