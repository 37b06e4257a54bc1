/* expect: HB-ARG-OP
 * also: HB-CALL-FAILED HB-FINALIZE-MISSING
 * why: MPI_MINLOC wants pairs */
#include <mpi.h>

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	int value = 1, result;
	MPI_Reduce(&value, &result, 1, MPI_INT, MPI_MINLOC, 0, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
