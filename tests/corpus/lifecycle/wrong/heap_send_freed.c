/* processes: 2
 * expect: HB-BUFFER-FREED
 * says: in memory that it has freed
 * why: what is sent was freed before the call */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int *data = calloc(100, sizeof *data);
	if (rank == 0) {
		int *gone = data;
		free(data);
		MPI_Send(gone, 100, MPI_INT, 1, 0, MPI_COMM_WORLD);
	} else {
		MPI_Recv(data, 100, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		free(data);
	}
	MPI_Finalize();
	return 0;
}
