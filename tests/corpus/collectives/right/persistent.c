/* mpi: mpich
 * why: persistent collectives started again and again, also both at once (Open MPI 4.1 has none) */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int value = rank, sum, all[2];
	MPI_Request request[2];
	MPI_Allreduce_init(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request[0]);
	MPI_Gather_init(&value, 1, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request[1]);
	for (int i = 0; i < 3; i++) {
		MPI_Startall(2, request);
		MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
		value++;
	}
	MPI_Request_free(&request[0]);
	MPI_Request_free(&request[1]);
	MPI_Finalize();
	return 0;
}
