/* why: less may come than there is room for */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	int value[4] = {1, 2, 3, 4};
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0)
		MPI_Send(value, 2, MPI_INT, 1, 3, MPI_COMM_WORLD);
	else
		MPI_Recv(value, 4, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
