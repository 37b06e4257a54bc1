/* processes: 3
 * why: the matrix of counts is not symmetric, but each count is the same at both ends */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int from[6] = {0}, to[6], send[3], receive[3], at[3] = {0, 2, 4};
	for (int i = 0; i < 3; i++) {
		send[i] = (2 * rank + i) % 3;
		receive[i] = (2 * i + rank) % 3;
	}
	MPI_Alltoallv(from, send, at, MPI_INT, to, receive, at, MPI_INT, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
