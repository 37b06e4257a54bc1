/* processes: 2
 * expect: HB-BUFFER-FREED
 * says: before MPI_Wait completes it
 * why: the buffer is freed while it is being sent */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	double *data = calloc(1000, sizeof *data);
	if (rank == 0) {
		MPI_Request request;
		MPI_Isend(data, 1000, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, &request);
		free(data);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	} else {
		MPI_Recv(data, 1000, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		free(data);
	}
	MPI_Finalize();
	return 0;
}
