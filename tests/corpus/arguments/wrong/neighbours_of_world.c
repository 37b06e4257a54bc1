/* expect: HB-ARG-COMM
 * also: HB-CALL-FAILED HB-FINALIZE-MISSING HB-CRASH
 * why: MPI_COMM_WORLD has no neighbours */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int all[8] = {0};
	MPI_Neighbor_allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
