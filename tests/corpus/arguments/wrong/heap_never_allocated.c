/* processes: 2
 * expect: HB-ARG-BUFFER
 * also: HB-CRASH HB-MESSAGE-MISSING HB-DEADLOCK-ORPHAN HB-FINALIZE-MISSING HB-HANG HB-MESSAGE-LOST HB-CALL-FAILED
 * why: the pointer was never set: it holds a number */
#include <mpi.h>
#include <stdint.h>

static volatile intptr_t number = 0x123450;

int main(int argc, char **argv)
{
	int rank, value = 1;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int *data = (int *)number;
	if (rank == 0)
		MPI_Recv(data, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	else
		MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
