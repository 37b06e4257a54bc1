/* processes: 2
 * expect: HB-BUFFER-FREED
 * why: the buffer of a persistent send is freed before the second start */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int *data = calloc(16, sizeof *data);
	if (rank == 0) {
		MPI_Request request;
		MPI_Send_init(data, 16, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
		for (int i = 0; i < 2; i++) {
			MPI_Start(&request);
			MPI_Wait(&request, MPI_STATUS_IGNORE);
			if (i == 0)
				free(data);
		}
		MPI_Request_free(&request);
	} else {
		for (int i = 0; i < 2; i++)
			MPI_Recv(data, 16, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		free(data);
	}
	MPI_Finalize();
	return 0;
}
