/* expect: HB-COLLECTIVE-OP
 * mpi: mpich
 * why: operations of a persistent reduction differ (Open MPI 4.1 has no persistent collectives) */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int value = rank, result;
	MPI_Request request;
	MPI_Allreduce_init(
		&value, &result, 1, MPI_INT, rank == 0 ? MPI_MIN : MPI_MAX, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
	MPI_Start(&request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	MPI_Request_free(&request);
	MPI_Finalize();
	return 0;
}
