/* expect: HB-ARG-BUFFER
 * also: HB-CALL-FAILED HB-FINALIZE-MISSING HB-CRASH HB-DEADLOCK-ORPHAN HB-DEADLOCK-CYCLE
 * why: MPI_IN_PLACE is no buffer of a message */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int value = 1;
	if (rank == 0)
		MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
	else
		MPI_Recv(MPI_IN_PLACE, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
