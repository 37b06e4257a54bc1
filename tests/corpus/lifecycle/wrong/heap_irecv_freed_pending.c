/* processes: 2
 * expect: HB-BUFFER-FREED
 * why: the receive buffer is replaced by a longer one while the receive is pending */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0) {
		MPI_Request request;
		int *data = malloc(64 * sizeof *data), *behind = malloc(64);
		MPI_Irecv(data, 64, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
		data = realloc(data, 100000 * sizeof *data); /* cannot stay where it is */
		MPI_Barrier(MPI_COMM_WORLD);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		free(data);
		free(behind);
	} else {
		int data[64] = {0};
		MPI_Barrier(MPI_COMM_WORLD);
		MPI_Send(data, 64, MPI_INT, 0, 0, MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return 0;
}
