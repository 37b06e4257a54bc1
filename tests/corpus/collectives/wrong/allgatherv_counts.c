/* expect: HB-COLLECTIVE-COUNT
 * also: HB-CALL-FAILED HB-DEADLOCK-CYCLE HB-DEADLOCK-ORPHAN
 * why: the processes do not agree on how much process 1 contributes */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int value[2] = {rank, rank}, all[4], counts[2] = {1, rank == 1 ? 2 : 1}, at[2] = {0, 1};
	MPI_Allgatherv(value, counts[rank], MPI_INT, all, counts, at, MPI_INT, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
