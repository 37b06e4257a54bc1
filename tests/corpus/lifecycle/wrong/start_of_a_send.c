/* expect: HB-ARG-REQUEST|HB-REQUEST-ACTIVE|HB-HANDLE-FREED
 * also: HB-CALL-FAILED HB-FINALIZE-MISSING HB-ARG-REQUEST HB-REQUEST-ACTIVE HB-LEAK-REQUEST HB-HANG
 * why: MPI_Start with the request of an MPI_Isend */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int value = 1;
	MPI_Request request;
	if (rank == 0) {
		MPI_Isend(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
		MPI_Start(&request);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	} else
		MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
