/* Different runs, different orders: process 0 takes whichever message comes first.
 *
 * usage: mpirun -n 3 first_come SLOW    process SLOW (1 or 2) takes longer to compute */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int rank, slow = argc > 1 ? atoi(argv[1]) : 1;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 0) {
		int value[2];
		MPI_Recv(&value[0], 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Recv(&value[1], 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		printf("%d came first: the result is %d\n", value[0], value[0] * 10 + value[1]);
	} else if (rank < 3) {
		usleep(rank == slow ? 300000 : 1000);
		MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return 0;
}
