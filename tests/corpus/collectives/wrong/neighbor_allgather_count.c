/* processes: 3
 * expect: HB-COLLECTIVE-COUNT
 * also: HB-DEADLOCK-CYCLE HB-DEADLOCK-ORPHAN HB-MESSAGE-TRUNCATED HB-CALL-FAILED
 * why: rank 1 sends two, its neighbours receive one of each */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	int dims[1] = {3}, periods[1] = {1};
	MPI_Comm ring;
	int values[2] = {0}, got[4];
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &ring);
	MPI_Neighbor_allgather(values, rank == 1 ? 2 : 1, MPI_INT, got, 1, MPI_INT, ring);
	MPI_Comm_free(&ring);
	MPI_Finalize();
	return 0;
}
