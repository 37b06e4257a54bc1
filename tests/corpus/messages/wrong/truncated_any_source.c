/* expect: HB-MESSAGE-TRUNCATED
 * also: HB-CALL-FAILED HB-DEADLOCK-CYCLE HB-DEADLOCK-ORPHAN HB-FINALIZE-MISSING
 * why: from anybody: three integers come and there is room for two */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	int value[3] = {1, 2, 3};
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0)
		MPI_Send(value, 3, MPI_INT, 1, 3, MPI_COMM_WORLD);
	else
		MPI_Recv(value, 2, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
