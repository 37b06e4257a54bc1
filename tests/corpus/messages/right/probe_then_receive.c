/* why: the length is asked for first */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	int value[8] = {0}, n;
	MPI_Status status;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0) {
		MPI_Send(value, 5, MPI_INT, 1, 3, MPI_COMM_WORLD);
	} else {
		MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
		MPI_Get_count(&status, MPI_INT, &n);
		MPI_Recv(value, n, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	MPI_Finalize();
	return 0;
}
