/* expect: HB-ARG-COMM
 * also: HB-CALL-FAILED HB-FINALIZE-MISSING
 * why: only an intercommunicator can be merged */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm all;
	MPI_Intercomm_merge(MPI_COMM_WORLD, 0, &all);
	MPI_Finalize();
	return 0;
}
