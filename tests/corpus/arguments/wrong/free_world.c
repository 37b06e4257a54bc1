/* expect: HB-HANDLE-PREDEFINED
 * also: HB-ARG-COMM HB-CALL-FAILED HB-FINALIZE-MISSING HB-HANDLE-FREED
 * why: MPI_COMM_WORLD is not for freeing */
#include <mpi.h>

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm comm = MPI_COMM_WORLD;
	MPI_Comm_free(&comm);
	MPI_Finalize();
	return 0;
}
