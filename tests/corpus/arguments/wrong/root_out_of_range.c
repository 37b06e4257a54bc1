/* expect: HB-ARG-ROOT|HB-ARG-RANK
 * also: HB-CALL-FAILED HB-FINALIZE-MISSING
 * why: a root that does not exist */
#include <mpi.h>

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	int value = 1;
	MPI_Bcast(&value, 1, MPI_INT, 2, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
