/* processes: 3
 * expect: HB-COLLECTIVE-COUNT
 * also: HB-CALL-FAILED
 * why: the root sends 2 to each, each wants 3 */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int all[9] = {0}, mine[3];
	MPI_Scatter(all, 2, MPI_INT, rank == 0 ? MPI_IN_PLACE : mine, 3, MPI_INT, 0, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
