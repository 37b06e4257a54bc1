/* expect: HB-MESSAGE-TRUNCATED
 * also: HB-CALL-FAILED HB-DEADLOCK-CYCLE HB-DEADLOCK-ORPHAN HB-FINALIZE-MISSING
 * why: a nonblocking receive with too little room */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	double value[100] = {0};
	MPI_Request request;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0) {
		MPI_Send(value, 100, MPI_DOUBLE, 1, 3, MPI_COMM_WORLD);
	} else {
		MPI_Irecv(value, 99, MPI_DOUBLE, 0, 3, MPI_COMM_WORLD, &request);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	}
	MPI_Finalize();
	return 0;
}
