/* expect: HB-MESSAGE-BYTES
 * why: an integer is sent as bytes and received as an integer */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	int value = 1, got;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0)
		MPI_Send(&value, sizeof value, MPI_BYTE, 1, 3, MPI_COMM_WORLD);
	else
		MPI_Recv(&got, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
