/* expect: HB-ARG-RANK
 * also: HB-CALL-FAILED HB-FINALIZE-MISSING
 * why: a negative number that is none of the constants */
#include <mpi.h>

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	int value;
	MPI_Request request;
	MPI_Irecv(&value, 1, MPI_INT, -77, 0, MPI_COMM_WORLD, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
