/* expect: HB-ARG-COUNT
 * also: HB-CALL-FAILED HB-FINALIZE-MISSING HB-COLLECTIVE-COUNT
 * why: one of the counts of a vector is negative */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int from[2] = {1, 2}, to[2], send[2] = {1, 1}, receive[2] = {1, 1}, at[2] = {0, 1};
	send[1] = rank == 0 ? -1 : 1;
	MPI_Alltoallv(from, send, at, MPI_INT, to, receive, at, MPI_INT, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
