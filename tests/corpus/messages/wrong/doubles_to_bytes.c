/* expect: HB-MESSAGE-BYTES
 * why: doubles are received as bytes */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	double value[2] = {1, 2};
	char got[16];
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0)
		MPI_Send(value, 2, MPI_DOUBLE, 1, 3, MPI_COMM_WORLD);
	else
		MPI_Recv(got, 16, MPI_BYTE, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
