/* expect: HB-ARG-TAG
 * also: HB-CALL-FAILED HB-FINALIZE-MISSING
 * mpi: mpich
 * why: a tag above MPI_TAG_UB (under Open MPI the highest int is a tag) */
#include <mpi.h>

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	int value = 1;
	MPI_Send(&value, 1, MPI_INT, MPI_PROC_NULL, 0x7fffffff, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
