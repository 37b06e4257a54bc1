/* expect: HB-ARG-ALIAS
 * also: HB-CALL-FAILED HB-FINALIZE-MISSING HB-BUFFER-OVERLAP
 * why: the buffers of a gather to all overlap in part */
#include <mpi.h>

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	int values[4] = {0};
	MPI_Allgather(&values[1], 2, MPI_INT, &values[0], 2, MPI_INT, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
