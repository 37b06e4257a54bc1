/* expect: HB-MESSAGE-TRUNCATED
 * also: HB-CALL-FAILED HB-FINALIZE-MISSING
 * why: process 0 sends as many numbers as it has, process 1 expects as many as it has */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	double mine[4] = {0}, other[4];
	MPI_Sendrecv(mine, rank == 0 ? 4 : 2, MPI_DOUBLE, 1 - rank, 0, other, rank == 0 ? 4 : 2, MPI_DOUBLE, 1 - rank,
		0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
