/* expect: HB-COLLECTIVE-COUNT
 * also: HB-CALL-FAILED HB-DEADLOCK-CYCLE HB-DEADLOCK-ORPHAN
 * why: process 0 sends two to each, process 1 expects and sends one */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int from[4] = {0}, to[4], n = rank == 0 ? 2 : 1;
	MPI_Alltoall(from, n, MPI_INT, to, n, MPI_INT, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
