/* processes: 3
 * why: of three receives one is completed, the others are cancelled */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int got[2] = {0}, value = rank, index;
	MPI_Request request[2];
	if (rank == 0) {
		MPI_Irecv(&got[0], 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request[0]);
		MPI_Irecv(&got[1], 1, MPI_INT, 2, 0, MPI_COMM_WORLD, &request[1]);
		MPI_Waitany(2, request, &index, MPI_STATUS_IGNORE);
		MPI_Cancel(&request[0]);
		MPI_Wait(&request[0], MPI_STATUS_IGNORE);
	} else if (rank == 2)
		MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
