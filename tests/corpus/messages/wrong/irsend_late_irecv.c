/* expect: HB-MESSAGE-READY
 * also: HB-CALL-FAILED HB-DEADLOCK-POTENTIAL HB-FINALIZE-MISSING
 * why: the receive is posted after the sender told that it sent */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	int value = 1, token = 0;
	MPI_Request request;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0) {
		MPI_Irsend(&value, 1, MPI_INT, 1, 3, MPI_COMM_WORLD, &request);
		MPI_Send(&token, 1, MPI_INT, 1, 4, MPI_COMM_WORLD);
	} else {
		MPI_Recv(&token, 1, MPI_INT, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Irecv(&value, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, &request);
	}
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
