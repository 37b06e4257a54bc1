/* expect: HB-ARG-VALUE
 * also: HB-CALL-FAILED HB-FINALIZE-MISSING
 * why: an attribute under no key */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_set_attr(MPI_COMM_WORLD, MPI_KEYVAL_INVALID, &rank);
	MPI_Finalize();
	return 0;
}
