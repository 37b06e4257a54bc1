/* expect: HB-ARG-HANDLE
 * also: HB-CALL-FAILED HB-FINALIZE-MISSING
 * why: MPI_INFO_NULL cannot be written to */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Info_set(MPI_INFO_NULL, "cb_nodes", "1");
	MPI_Finalize();
	return 0;
}
