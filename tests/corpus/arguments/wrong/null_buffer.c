/* expect: HB-ARG-BUFFER
 * also: HB-CALL-FAILED HB-FINALIZE-MISSING HB-CRASH HB-DEADLOCK-ORPHAN HB-DEADLOCK-CYCLE HB-MESSAGE-MISSING
 * why: no buffer for one element */
#include <mpi.h>
#include <stddef.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int value;
	if (rank == 0)
		MPI_Send(NULL, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
	else
		MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
