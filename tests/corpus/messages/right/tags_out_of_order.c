/* why: messages are received in another order than sent, by their tags; all are under way */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int value[3] = {1, 2, 3};
	MPI_Request request[3];
	if (rank == 0) {
		for (int i = 0; i < 3; i++)
			MPI_Isend(&value[i], 1, MPI_INT, 1, i, MPI_COMM_WORLD, &request[i]);
		MPI_Waitall(3, request, MPI_STATUSES_IGNORE);
	} else
		for (int i = 2; i >= 0; i--)
			MPI_Recv(&value[i], 1, MPI_INT, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
