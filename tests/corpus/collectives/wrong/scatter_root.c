/* processes: 3
 * expect: HB-COLLECTIVE-ROOT
 * also: HB-DEADLOCK-CYCLE HB-DEADLOCK-ORPHAN HB-CALL-FAILED HB-COLLECTIVE-COUNT
 * why: process 0 scatters as the root, process 1 believes that process 2 does */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int value, all[3] = {1, 2, 3};
	MPI_Scatter(all, 1, MPI_INT, &value, 1, MPI_INT, rank == 1 ? 2 : 0, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
