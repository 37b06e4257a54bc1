/* processes: 3
 * why: pending sends may read the same buffer (MPI 4.0, 3.7.2) */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int value = 5, other;
	MPI_Request request[2];
	if (rank == 0) {
		MPI_Isend(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request[0]);
		MPI_Isend(&value, 1, MPI_INT, 2, 0, MPI_COMM_WORLD, &request[1]);
		other = value + 1;
		MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
	} else
		MPI_Recv(&other, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
