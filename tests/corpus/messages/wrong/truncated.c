/* expect: HB-MESSAGE-TRUNCATED
 * also: HB-CALL-FAILED HB-FINALIZE-MISSING
 * why: 8 numbers are sent, room is for 4 (MPI 4.0, 3.2.4) */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int values[8] = {0};
	if (rank == 0)
		MPI_Send(values, 8, MPI_INT, 1, 0, MPI_COMM_WORLD);
	else
		MPI_Recv(values, 4, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
