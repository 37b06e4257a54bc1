/* expect: HB-ARG-TYPE
 * also: HB-CALL-FAILED HB-FINALIZE-MISSING
 * why: MPI_DATATYPE_NULL is no datatype */
#include <mpi.h>

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	int value = 1;
	MPI_Bcast(&value, 1, MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
