/* expect: HB-ARG-VALUE|HB-CALL-FAILED
 * also: HB-ARG-VALUE HB-CALL-FAILED HB-FINALIZE-MISSING
 * why: what is given of the dimensions does not divide the number of nodes (MPI 4.0, 8.5.2) */
#include <mpi.h>

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	int dims[2] = {4, 0};
	MPI_Dims_create(6, 2, dims);
	MPI_Finalize();
	return 0;
}
