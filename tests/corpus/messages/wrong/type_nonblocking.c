/* processes: 3
 * expect: HB-MESSAGE-TYPE
 * also: HB-BUFFER-TYPE
 * why: long integers of process 2 arrive as doubles at process 0 */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	long mine = rank;
	double got[2];
	MPI_Request request[2];
	if (rank == 0) {
		MPI_Irecv(&got[0], 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, &request[0]);
		MPI_Irecv(&got[1], 1, MPI_DOUBLE, 2, 0, MPI_COMM_WORLD, &request[1]);
		MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
	} else {
		MPI_Isend(&mine, 1, rank == 1 ? MPI_DOUBLE : MPI_LONG, 0, 0, MPI_COMM_WORLD, request);
		MPI_Wait(request, MPI_STATUS_IGNORE);
	}
	MPI_Finalize();
	return 0;
}
