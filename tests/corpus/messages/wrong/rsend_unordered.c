/* expect: HB-MESSAGE-READY
 * also: HB-CALL-FAILED HB-DEADLOCK-POTENTIAL HB-FINALIZE-MISSING
 * why: nothing makes sure that the receive is posted in time */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	int value = 1;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0)
		MPI_Rsend(&value, 1, MPI_INT, 1, 3, MPI_COMM_WORLD);
	else
		MPI_Recv(&value, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
