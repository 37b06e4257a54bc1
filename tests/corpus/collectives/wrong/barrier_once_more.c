/* expect: HB-COLLECTIVE-MISSING|HB-DEADLOCK-ORPHAN|HB-DEADLOCK-CYCLE
 * also: HB-COLLECTIVE-MISSING HB-DEADLOCK-ORPHAN HB-DEADLOCK-CYCLE HB-COLLECTIVE-CALL
 * why: process 1 goes round its loop once more than process 0 */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 0; i < 3 + rank; i++)
		MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
