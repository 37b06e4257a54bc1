/* expect: HB-COLLECTIVE-IN-PLACE
 * also: HB-DEADLOCK-CYCLE HB-DEADLOCK-ORPHAN HB-MESSAGE-TRUNCATED HB-CALL-FAILED
 * why: MPI_IN_PLACE has to be given at all processes (MPI 4.0, 6.8) */
#include <mpi.h>
#include <stddef.h>

int main(int argc, char **argv)
{
	int rank;
	int all[2] = {0, 1}, other[2], counts[2] = {1, 1}, displs[2] = {0, 4};
	MPI_Datatype ints[2] = {MPI_INT, MPI_INT};
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0)
		MPI_Alltoallw(MPI_IN_PLACE, NULL, NULL, NULL, all, counts, displs, ints, MPI_COMM_WORLD);
	else
		MPI_Alltoallw(other, counts, displs, ints, all, counts, displs, ints, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
