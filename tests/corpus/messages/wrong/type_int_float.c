/* expect: HB-MESSAGE-TYPE
 * also: HB-BUFFER-TYPE
 * why: integers are sent, floats received (MPI 4.0, 3.3.1: types must match) */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	float values[4] = {0};
	if (rank == 0)
		MPI_Send(values, 4, MPI_INT, 1, 0, MPI_COMM_WORLD);
	else
		MPI_Recv(values, 4, MPI_FLOAT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
