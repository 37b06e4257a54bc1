/* An order that cannot be: with clocks that differ, the answer seems to come before the question. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	int rank, value = 6;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0) {
		MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
		MPI_Recv(&value, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		printf("the answer is %d\n", value);
	} else if (rank == 1) {
		MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		value *= 7;
		MPI_Send(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return 0;
}
