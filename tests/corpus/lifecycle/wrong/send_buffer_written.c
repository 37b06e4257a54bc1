/* expect: HB-BUFFER-WRITTEN
 * why: the buffer of a pending send is changed (MPI 4.0, 3.7.2) */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int value = 1, got;
	MPI_Request request;
	if (rank == 0) {
		MPI_Issend(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
		value = 2;
		MPI_Barrier(MPI_COMM_WORLD);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	} else {
		MPI_Barrier(MPI_COMM_WORLD);
		MPI_Recv(&got, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	MPI_Finalize();
	return 0;
}
