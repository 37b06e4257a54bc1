/* expect: HB-BUFFER-OVERLAP
 * why: two pending receives share an element */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int values[3];
	MPI_Request request[2];
	if (rank == 0) {
		MPI_Irecv(&values[0], 2, MPI_INT, 1, 0, MPI_COMM_WORLD, &request[0]);
		MPI_Irecv(&values[1], 2, MPI_INT, 1, 1, MPI_COMM_WORLD, &request[1]);
		MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
	} else {
		MPI_Send(values, 2, MPI_INT, 0, 0, MPI_COMM_WORLD);
		MPI_Send(values, 2, MPI_INT, 0, 1, MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return 0;
}
