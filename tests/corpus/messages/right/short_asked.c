/* silent: HB-MESSAGE-SHORT
 * why: the process asks how long the message is: shorter ones are meant */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank, value[8] = {0};
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Status status;
	int n;
	if (rank == 0) {
		MPI_Recv(value, 8, MPI_INT, 1, 7, MPI_COMM_WORLD, &status);
		MPI_Get_count(&status, MPI_INT, &n);
	} else {
		MPI_Send(value, 3, MPI_INT, 0, 7, MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return 0;
}
