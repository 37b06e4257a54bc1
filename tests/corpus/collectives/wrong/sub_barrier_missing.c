/* processes: 4
 * expect: HB-COLLECTIVE-MISSING|HB-DEADLOCK-ORPHAN|HB-DEADLOCK-CYCLE
 * also: HB-COLLECTIVE-MISSING HB-DEADLOCK-ORPHAN HB-DEADLOCK-CYCLE HB-COLLECTIVE-CALL
 * why: one process of a part leaves out the barrier of the part */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm part;
	MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &part);
	if (rank != 3)
		MPI_Barrier(part);
	MPI_Comm_free(&part);
	MPI_Finalize();
	return 0;
}
