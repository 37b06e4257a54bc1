/* processes: 3
 * expect: HB-COLLECTIVE-COUNT
 * also: HB-CALL-FAILED
 * why: the root expects two numbers of process 2, which sends one */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int value[2] = {rank, rank}, all[6], counts[3] = {1, 1, 2}, at[3] = {0, 1, 2};
	MPI_Gatherv(value, 1, MPI_INT, all, counts, at, MPI_INT, 0, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
