/* expect: HB-COLLECTIVE-TYPE
 * why: process 0 sends an integer to process 1, which takes it as a float */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int from[2] = {1, 2}, to[2], n[2] = {1, 1}, at[2] = {0, 4};
	MPI_Datatype send[2] = {MPI_INT, MPI_INT}, receive[2] = {MPI_INT, MPI_INT};
	if (rank == 1)
		receive[0] = MPI_FLOAT;
	MPI_Alltoallw(from, n, at, send, to, n, at, receive, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
