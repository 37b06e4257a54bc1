/* processes: 3
 * expect: HB-COLLECTIVE-CALL
 * also: HB-DEADLOCK-CYCLE HB-DEADLOCK-ORPHAN HB-MESSAGE-TRUNCATED HB-CALL-FAILED
 * why: rank 0 gathers from its neighbours, the others exchange with them */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	int dims[1] = {3}, periods[1] = {1};
	MPI_Comm ring;
	int values[2] = {0}, got[2];
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &ring);
	if (rank == 0)
		MPI_Neighbor_allgather(values, 1, MPI_INT, got, 1, MPI_INT, ring);
	else
		MPI_Neighbor_alltoall(values, 1, MPI_INT, got, 1, MPI_INT, ring);
	MPI_Comm_free(&ring);
	MPI_Finalize();
	return 0;
}
