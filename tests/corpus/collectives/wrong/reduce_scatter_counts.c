/* expect: HB-COLLECTIVE-COUNT
 * also: HB-CALL-FAILED HB-DEADLOCK-CYCLE HB-DEADLOCK-ORPHAN
 * why: recvcounts must be the same in all processes (MPI 4.0, 6.10.2) */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int values[4] = {1, 2, 3, 4}, result[4], counts[2] = {2, 2};
	if (rank == 1) {
		counts[0] = 1;
		counts[1] = 3;
	}
	MPI_Reduce_scatter(values, result, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
