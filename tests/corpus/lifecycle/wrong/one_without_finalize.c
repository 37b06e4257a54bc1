/* expect: HB-FINALIZE-MISSING
 * also: HB-DEADLOCK-ORPHAN HB-DEADLOCK-CYCLE
 * why: process 1 leaves early, with status 0 and without MPI_Finalize */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 1)
		exit(0);
	MPI_Finalize();
	return 0;
}
