/* processes: 3
 * why: probed, sized and received by the message that was probed */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	int values[5] = {0}, n;
	MPI_Message message;
	MPI_Status status;
	if (rank == 0)
		for (int i = 1; i < size; i++) {
			MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &message, &status);
			MPI_Get_count(&status, MPI_INT, &n);
			MPI_Mrecv(values, n, MPI_INT, &message, MPI_STATUS_IGNORE);
		}
	else
		MPI_Send(values, rank + 1, MPI_INT, 0, rank, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
