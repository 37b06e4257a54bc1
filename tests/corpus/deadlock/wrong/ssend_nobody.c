/* expect: HB-DEADLOCK-ORPHAN|HB-DEADLOCK-CYCLE
 * also: HB-DEADLOCK-ORPHAN HB-DEADLOCK-CYCLE HB-MESSAGE-LOST
 * why: a synchronous send to a process that does not receive */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int value = rank;
	if (rank == 0)
		MPI_Ssend(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
