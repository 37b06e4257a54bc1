/* processes: 4
 * why: messages of different lengths from anybody, each received as long as it is */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	int value[8] = {0}, n;
	MPI_Message message;
	MPI_Status status;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank > 0)
		MPI_Send(value, rank, MPI_INT, 0, 3, MPI_COMM_WORLD);
	for (int i = 1; rank == 0 && i < 4; i++) {
		MPI_Mprobe(MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &message, &status);
		MPI_Get_count(&status, MPI_INT, &n);
		MPI_Mrecv(value, n, MPI_INT, &message, MPI_STATUS_IGNORE);
	}
	MPI_Finalize();
	return 0;
}
