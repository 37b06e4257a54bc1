/* processes: 2
 * expect: HB-BUFFER-SIZE
 * says: the block of 40 bytes that was allocated there
 * why: the receive counts ten more than its block has */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int *data = calloc(10, sizeof *data);
	if (rank == 0)
		MPI_Send(data, 10, MPI_INT, 1, 0, MPI_COMM_WORLD);
	else
		MPI_Recv(data, 20, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	free(data);
	MPI_Finalize();
	return 0;
}
