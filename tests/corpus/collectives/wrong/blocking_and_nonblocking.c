/* expect: HB-COLLECTIVE-CALL
 * also: HB-HANG HB-DEADLOCK-CYCLE HB-DEADLOCK-ORPHAN HB-CALL-FAILED
 * why: nonblocking collectives do not match blocking ones (MPI 4.0, 6.12) */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int value = rank;
	MPI_Request request;
	if (rank == 0) {
		MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
	} else {
		MPI_Ibcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	}
	MPI_Finalize();
	return 0;
}
