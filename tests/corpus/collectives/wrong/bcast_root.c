/* processes: 3
 * expect: HB-COLLECTIVE-ROOT
 * also: HB-DEADLOCK-CYCLE HB-DEADLOCK-ORPHAN HB-CALL-FAILED
 * why: each process names itself as the root (MPI 4.0, 6.4: root must be identical in all) */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int value = rank;
	MPI_Bcast(&value, 1, MPI_INT, rank, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
