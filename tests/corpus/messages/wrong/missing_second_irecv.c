/* expect: HB-MESSAGE-MISSING
 * why: two receives are posted, one message is sent */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	int value[2] = {1, 2};
	MPI_Request request[2];
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0) {
		MPI_Irecv(&value[0], 1, MPI_INT, 1, 7, MPI_COMM_WORLD, &request[0]);
		MPI_Irecv(&value[1], 1, MPI_INT, 1, 7, MPI_COMM_WORLD, &request[1]);
		MPI_Wait(&request[0], MPI_STATUS_IGNORE);
	} else {
		MPI_Send(value, 1, MPI_INT, 0, 7, MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return 0;
}
