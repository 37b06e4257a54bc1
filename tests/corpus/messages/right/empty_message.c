/* why: nothing is sent, as another type */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	int value = 1;
	double in;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0)
		MPI_Send(&value, 0, MPI_INT, 1, 3, MPI_COMM_WORLD);
	else
		MPI_Recv(&in, 0, MPI_DOUBLE, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
