/* expect: HB-ARG-BUFFER
 * also: HB-CALL-FAILED HB-FINALIZE-MISSING HB-CRASH HB-DEADLOCK-ORPHAN HB-DEADLOCK-CYCLE
 * why: MPI_IN_PLACE of a reduction is for the root only */
#include <mpi.h>

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	int value = 1;
	MPI_Reduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
