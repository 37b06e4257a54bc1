/* expect: HB-CALL-FAILED|HB-ARG-BUFFER|HB-ARG-VALUE
 * also: HB-CALL-FAILED HB-FINALIZE-MISSING HB-DEADLOCK-ORPHAN HB-DEADLOCK-CYCLE HB-ARG-BUFFER HB-MESSAGE-MISSING
 * why: a buffered send without a buffer attached */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int value = 1;
	if (rank == 0)
		MPI_Bsend(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
	else
		MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
