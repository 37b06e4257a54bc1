/* expect: HB-COLLECTIVE-CALL
 * also: HB-DEADLOCK-CYCLE HB-DEADLOCK-ORPHAN HB-CALL-FAILED HB-LEAK-COMM
 * why: making communicators is collective: one process duplicates, the other splits */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm comm;
	if (rank == 0)
		MPI_Comm_dup(MPI_COMM_WORLD, &comm);
	else
		MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &comm);
	MPI_Comm_free(&comm);
	MPI_Finalize();
	return 0;
}
