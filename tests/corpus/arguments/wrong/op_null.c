/* expect: HB-ARG-OP
 * also: HB-CALL-FAILED HB-FINALIZE-MISSING
 * why: MPI_OP_NULL is no operation */
#include <mpi.h>

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	int value = 1, sum;
	MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_OP_NULL, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
