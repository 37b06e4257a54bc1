/* An arbitrary order that looks like a cause: 0 talks to 1, and 2 talks to 3; neither pair knows of the other.
 *
 * usage: mpirun -n 4 strangers LATE    the pair of process LATE (0 or 2) begins later */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int rank, late = argc > 1 ? atoi(argv[1]) : 2, value = 1;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 0 || rank == 2) {
		if (rank == late)
			usleep(300000);
		MPI_Send(&value, 1, MPI_INT, rank + 1, 0, MPI_COMM_WORLD);
	} else if (rank < 4)
		MPI_Recv(&value, 1, MPI_INT, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
