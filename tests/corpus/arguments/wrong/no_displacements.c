/* expect: HB-ARG-POINTER
 * also: HB-CALL-FAILED HB-FINALIZE-MISSING HB-CRASH HB-HANG HB-DEADLOCK-ORPHAN HB-COLLECTIVE-MISSING
 * why: the root has to say where the pieces go */
#include <mpi.h>
#include <stddef.h>

int main(int argc, char **argv)
{
	int a = 1, b[2], counts[2] = {1, 1};
	MPI_Init(&argc, &argv);
	MPI_Gatherv(&a, 1, MPI_INT, b, counts, NULL, MPI_INT, 0, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
