/* silent: HB-MESSAGE-SHORT
 * why: messages of several lengths come to one receive: shorter ones are meant */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank, value[8] = {0};
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 1; i < 5; i++)
		if (rank == 0)
			MPI_Recv(value, 8, MPI_INT, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		else
			MPI_Send(value, 2 * i, MPI_INT, 0, 7, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
