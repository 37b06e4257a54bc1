/* processes: 3
 * expect: HB-COLLECTIVE-COUNT
 * also: HB-CALL-FAILED
 * why: process 0 sends one number to process 2, which expects two of it */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int from[3] = {1, 2, 3}, to[6], send[3] = {1, 1, 1}, receive[3] = {1, 1, 1}, at[3] = {0, 1, 2},
	    where[3] = {0, 2, 4};
	if (rank == 2)
		receive[0] = 2;
	MPI_Alltoallv(from, send, at, MPI_INT, to, receive, where, MPI_INT, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
