/* why: the receiver says that it has posted its receive */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	int value = 1, token = 0;
	MPI_Request request;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 1) {
		MPI_Irecv(&value, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, &request);
		MPI_Send(&token, 0, MPI_INT, 0, 4, MPI_COMM_WORLD);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	} else {
		MPI_Recv(&token, 0, MPI_INT, 1, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Rsend(&value, 1, MPI_INT, 1, 3, MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return 0;
}
