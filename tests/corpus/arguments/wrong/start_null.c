/* expect: HB-ARG-REQUEST
 * also: HB-CALL-FAILED HB-FINALIZE-MISSING
 * why: MPI_Start of a null request */
#include <mpi.h>

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Request request = MPI_REQUEST_NULL;
	MPI_Start(&request);
	MPI_Finalize();
	return 0;
}
