/* expect: HB-MESSAGE-SHORT
 * says: rank 0 receives 7 MPI_INT with MPI_Recv_init where there is room for 8 MPI_INT
 * why: a persistent receive has room for one element more than is sent, each time: allowed, and told as a note */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank, value[8] = {0};
	MPI_Request request;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0)
		MPI_Recv_init(value, 8, MPI_INT, 1, 7, MPI_COMM_WORLD, &request);
	else
		MPI_Send_init(value, 7, MPI_INT, 0, 7, MPI_COMM_WORLD, &request);
	for (int i = 0; i < 3; i++) {
		MPI_Start(&request);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	}
	MPI_Request_free(&request);
	MPI_Finalize();
	return 0;
}
