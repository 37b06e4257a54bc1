/* expect: HB-MESSAGE-TRUNCATED
 * also: HB-CALL-FAILED HB-DEADLOCK-CYCLE HB-DEADLOCK-ORPHAN HB-FINALIZE-MISSING
 * why: there is room for nothing */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	int value = 1;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0)
		MPI_Send(&value, 1, MPI_INT, 1, 3, MPI_COMM_WORLD);
	else
		MPI_Recv(&value, 0, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
