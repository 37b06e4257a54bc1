/* expect: HB-ARG-OP
 * also: HB-CALL-FAILED HB-FINALIZE-MISSING
 * why: the bits of floating-point numbers can not be reduced (MPI 4.0, 6.9.2) */
#include <mpi.h>

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	double value = 1, result;
	MPI_Allreduce(&value, &result, 1, MPI_DOUBLE, MPI_BAND, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
