/* processes: 3
 * expect: HB-COLLECTIVE-COUNT
 * also: HB-CALL-FAILED HB-DEADLOCK-CYCLE HB-DEADLOCK-ORPHAN
 * why: process 2 contributes two numbers, the others one */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int value[2] = {rank, rank}, all[6], n = rank == 2 ? 2 : 1;
	MPI_Allgather(value, n, MPI_INT, all, n, MPI_INT, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
