/* expect: HB-MESSAGE-TYPE
 * why: a persistent receive has another type than the send */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	int value[2] = {1, 2};
	float in[2];
	MPI_Request request;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0)
		MPI_Send_init(value, 2, MPI_INT, 1, 3, MPI_COMM_WORLD, &request);
	else
		MPI_Recv_init(in, 2, MPI_FLOAT, 0, 3, MPI_COMM_WORLD, &request);
	MPI_Start(&request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	MPI_Request_free(&request);
	MPI_Finalize();
	return 0;
}
