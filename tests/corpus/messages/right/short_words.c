/* silent: HB-MESSAGE-SHORT
 * why: characters, empty messages, and whoever comes first: shorter ones are meant */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank, value[8] = {0};
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0) {
		MPI_Recv(value, 32, MPI_CHAR, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Recv(value, 8, MPI_INT, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Recv(value, 8, MPI_INT, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	} else {
		MPI_Send("words", 6, MPI_CHAR, 0, 7, MPI_COMM_WORLD);
		MPI_Send(value, 0, MPI_INT, 0, 7, MPI_COMM_WORLD);
		MPI_Send(value, 3, MPI_INT, 0, 7, MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return 0;
}
