/* processes: 3
 * expect: HB-MESSAGE-RACE-FIT|HB-MESSAGE-TRUNCATED
 * also: HB-CALL-FAILED HB-FINALIZE-MISSING
 * why: the second receive has room for the short message only, and the first one takes whichever comes first */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank, a[2] = {0};
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 2) {
		MPI_Send(a, 2, MPI_INT, 0, 3, MPI_COMM_WORLD);
		MPI_Send(a, 0, MPI_INT, 1, 4, MPI_COMM_WORLD); /* no order: the long one may still be late */
	} else if (rank == 1) {
		MPI_Recv(a, 0, MPI_INT, 2, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Send(a, 1, MPI_INT, 0, 3, MPI_COMM_WORLD);
	} else {
		MPI_Recv(a, 2, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Recv(a, 1, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	MPI_Finalize();
	return 0;
}
