/* expect: HB-DEADLOCK-CYCLE
 * also: HB-LEAK-REQUEST HB-FINALIZE-PENDING
 * why: persistent receives are completed before the persistent sends are started */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int mine = rank, other;
	MPI_Request request[2];
	MPI_Recv_init(&other, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request[0]);
	MPI_Ssend_init(&mine, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request[1]);
	for (int i = 0; i < 2; i++) {
		MPI_Start(&request[i]);
		MPI_Wait(&request[i], MPI_STATUS_IGNORE);
	}
	MPI_Request_free(&request[0]);
	MPI_Request_free(&request[1]);
	MPI_Finalize();
	return 0;
}
