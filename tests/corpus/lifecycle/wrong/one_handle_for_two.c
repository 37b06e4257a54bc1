/* expect: HB-LEAK-REQUEST|HB-FINALIZE-PENDING
 * also: HB-LEAK-REQUEST HB-FINALIZE-PENDING
 * why: the second request overwrites the handle of the first */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int a = 1, b = 2;
	MPI_Request request;
	if (rank == 0) {
		MPI_Isend(&a, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
		MPI_Isend(&b, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &request);
	} else {
		MPI_Irecv(&a, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
		MPI_Irecv(&b, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &request);
	}
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
