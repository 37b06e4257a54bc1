/* expect: HB-COLLECTIVE-COUNT
 * also: HB-CALL-FAILED
 * why: process 1 sends fewer numbers than the root has named for each */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int value[4] = {0}, all[8];
	MPI_Gather(value, rank == 0 ? 4 : 2, MPI_INT, all, 4, MPI_INT, 0, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
