/* expect: HB-DEADLOCK-ORPHAN|HB-DEADLOCK-CYCLE
 * also: HB-DEADLOCK-ORPHAN HB-DEADLOCK-CYCLE
 * why: a probe for a tag that nobody sends */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Status status;
	if (rank == 0)
		MPI_Probe(1, 5, MPI_COMM_WORLD, &status);
	MPI_Finalize();
	return 0;
}
