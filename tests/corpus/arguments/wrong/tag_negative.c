/* expect: HB-ARG-TAG
 * also: HB-CALL-FAILED HB-FINALIZE-MISSING
 * why: a negative tag */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int value = 1, got;
	MPI_Sendrecv(
		&value, 1, MPI_INT, 1 - rank, -5, &got, 1, MPI_INT, 1 - rank, -5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
