/* expect: HB-ARG-COUNT
 * also: HB-CALL-FAILED HB-FINALIZE-MISSING HB-DEADLOCK-ORPHAN
 * why: a negative count (MPI 4.0, 3.2.2: non-negative integer) */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int value = 0;

	if (rank == 0)
		MPI_Send(&value, -1, MPI_INT, 1, 0, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
