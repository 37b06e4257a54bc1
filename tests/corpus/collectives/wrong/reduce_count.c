/* processes: 3
 * expect: HB-COLLECTIVE-COUNT
 * also: HB-CALL-FAILED HB-DEADLOCK-CYCLE HB-DEADLOCK-ORPHAN
 * why: each process reduces as many numbers as its rank says */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int values[4] = {0}, result[4];
	MPI_Reduce(values, result, rank + 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
