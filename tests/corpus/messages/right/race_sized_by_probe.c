/* processes: 3
 * why: each receive has the length of the message that its probe took, whichever came first */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank, n, a[2] = {0};
	MPI_Message message;
	MPI_Status status;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank) {
		MPI_Send(a, rank, MPI_INT, 0, 3, MPI_COMM_WORLD);
	} else {
		MPI_Mprobe(MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &message, &status);
		MPI_Get_count(&status, MPI_INT, &n);
		MPI_Mrecv(a, n, MPI_INT, &message, &status);
		MPI_Mprobe(MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &message, &status);
		MPI_Get_count(&status, MPI_INT, &n);
		MPI_Mrecv(a, n, MPI_INT, &message, &status);
	}
	MPI_Finalize();
	return 0;
}
