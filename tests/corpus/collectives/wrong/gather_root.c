/* expect: HB-COLLECTIVE-ROOT
 * also: HB-DEADLOCK-CYCLE HB-DEADLOCK-ORPHAN HB-CALL-FAILED
 * why: two processes gather to two roots */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int value = rank, all[2];
	MPI_Gather(&value, 1, MPI_INT, all, 1, MPI_INT, rank, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
