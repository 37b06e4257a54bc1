/* expect: HB-COLLECTIVE-CALL
 * also: HB-DEADLOCK-CYCLE HB-DEADLOCK-ORPHAN HB-CALL-FAILED HB-LEAK-REQUEST HB-FINALIZE-PENDING
 * why: nonblocking collectives match as blocking ones do, in the order in which they are started */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int value = rank;
	MPI_Request request;
	if (rank == 0)
		MPI_Ibcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
	else
		MPI_Ibarrier(MPI_COMM_WORLD, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
