/* expect: HB-ARG-ALIAS
 * also: HB-CALL-FAILED HB-FINALIZE-MISSING
 * why: the buffers of a reduction must differ: for that there is MPI_IN_PLACE (MPI 4.0, 6.9.1) */
#include <mpi.h>

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	int value = 1;
	MPI_Allreduce(&value, &value, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
