/* why: sends too big to be buffered; the receive is posted before */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int n = 1 << 20;
	int *mine = calloc(n, sizeof *mine), *other = calloc(n, sizeof *other);
	MPI_Request request;
	MPI_Irecv(other, n, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request);
	MPI_Send(mine, n, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	free(mine);
	free(other);
	MPI_Finalize();
	return 0;
}
