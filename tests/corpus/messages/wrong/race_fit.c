/* processes: 3
 * expect: HB-MESSAGE-RACE-FIT
 * also: HB-MESSAGE-TYPE HB-MESSAGE-TRUNCATED HB-CALL-FAILED HB-FINALIZE-MISSING
 * why: the receive from anybody could have got the two doubles of process 2 */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	int value[4] = {1};
	double pair[2] = {1, 2};
	int token = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 1) {
		MPI_Send(value, 1, MPI_INT, 0, 3, MPI_COMM_WORLD);
		MPI_Send(&token, 1, MPI_INT, 2, 4, MPI_COMM_WORLD);
	} else if (rank == 2) {
		MPI_Recv(&token, 1, MPI_INT, 1, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Send(pair, 2, MPI_DOUBLE, 0, 3, MPI_COMM_WORLD);
	} else {
		MPI_Recv(value, 4, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Recv(pair, 2, MPI_DOUBLE, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	MPI_Finalize();
	return 0;
}
