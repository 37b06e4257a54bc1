/* expect: HB-COLLECTIVE-COUNT
 * also: HB-HANG HB-HANG HB-CALL-FAILED HB-DEADLOCK-CYCLE HB-DEADLOCK-ORPHAN
 * why: counts of a reduction differ */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int values[4] = {0}, result[4];
	MPI_Allreduce(values, result, rank == 0 ? 4 : 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
