/* processes: 2
 * expect: HB-REQUEST-ACTIVE
 * also: HB-CALL-FAILED HB-ARG-REQUEST HB-MESSAGE-LOST HB-MESSAGE-MISSING HB-FINALIZE-PENDING HB-LEAK-PERSISTENT
 * why: the request is started while it is active */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int v = rank, w[2];
	MPI_Request r;
	if (rank == 0) {
		MPI_Send_init(&v, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &r);
		MPI_Start(&r);
		MPI_Start(&r);
		MPI_Wait(&r, MPI_STATUS_IGNORE);
		MPI_Request_free(&r);
	} else {
		MPI_Recv(&w[0], 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	MPI_Finalize();
	return 0;
}
