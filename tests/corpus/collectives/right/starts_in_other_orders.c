/* mpi: mpich
 * why: persistent collectives may be started in other orders than they were made (Open MPI 4.1 has none) */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	int value = 1, sum = 0, most = 0;
	MPI_Request request[2];
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Allreduce_init(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request[0]);
	MPI_Allreduce_init(&value, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD, MPI_INFO_NULL, &request[1]);
	for (int i = 0; i < 2; i++) {
		MPI_Start(&request[1]);
		MPI_Wait(&request[1], MPI_STATUS_IGNORE);
		MPI_Startall(1, &request[0]);
		MPI_Wait(&request[0], MPI_STATUS_IGNORE);
	}
	MPI_Request_free(&request[0]);
	MPI_Request_free(&request[1]);
	MPI_Finalize();
	return 0;
}
