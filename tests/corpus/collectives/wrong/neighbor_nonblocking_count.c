/* expect: HB-COLLECTIVE-COUNT
 * also: HB-DEADLOCK-CYCLE HB-DEADLOCK-ORPHAN HB-MESSAGE-TRUNCATED HB-CALL-FAILED
 * why: rank 0 sends one to each neighbour, which receives two */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	int dims[1] = {2}, periods[1] = {1};
	MPI_Comm ring;
	int values[4] = {0}, got[4];
	MPI_Request request;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &ring);
	MPI_Ineighbor_alltoall(values, rank == 0 ? 1 : 2, MPI_INT, got, 2, MPI_INT, ring, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	MPI_Comm_free(&ring);
	MPI_Finalize();
	return 0;
}
