/* processes: 3
 * expect: HB-COLLECTIVE-ROOT
 * also: HB-DEADLOCK-CYCLE HB-DEADLOCK-ORPHAN HB-CALL-FAILED
 * why: process 2 reduces to process 1, the others to process 0 */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int value = rank, sum = 0;
	MPI_Reduce(&value, &sum, 1, MPI_INT, MPI_SUM, rank == 2 ? 1 : 0, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
