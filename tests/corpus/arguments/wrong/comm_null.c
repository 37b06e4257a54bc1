/* expect: HB-ARG-COMM
 * also: HB-CALL-FAILED HB-FINALIZE-MISSING
 * why: MPI_COMM_NULL is no communicator */
#include <mpi.h>

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	int n;
	MPI_Comm_size(MPI_COMM_NULL, &n);
	MPI_Finalize();
	return 0;
}
