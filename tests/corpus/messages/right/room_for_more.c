/* why: the receive has more room than the message needs; how much came is asked for */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	double values[100] = {0};
	int n = 0;
	MPI_Status status;
	if (rank == 0)
		MPI_Send(values, 3, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
	else {
		MPI_Recv(values, 100, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, &status);
		MPI_Get_count(&status, MPI_DOUBLE, &n);
	}
	MPI_Finalize();
	return rank == 1 && n != 3;
}
