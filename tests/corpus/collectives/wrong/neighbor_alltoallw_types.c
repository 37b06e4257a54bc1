/* processes: 3
 * expect: HB-COLLECTIVE-TYPE
 * also: HB-DEADLOCK-CYCLE HB-DEADLOCK-ORPHAN HB-MESSAGE-TRUNCATED HB-CALL-FAILED
 * why: rank 1 sends MPI_DOUBLE where rank 0 and 2 receive MPI_LONG */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	int dims[1] = {3}, periods[1] = {1};
	MPI_Comm ring;
	long values[2] = {0}, got[2];
	int counts[2] = {1, 1};
	MPI_Aint displs[2] = {0, sizeof(long)};
	MPI_Datatype longs[2] = {MPI_LONG, MPI_LONG}, doubles[2] = {MPI_DOUBLE, MPI_DOUBLE};
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &ring);
	MPI_Neighbor_alltoallw(values, counts, displs, rank == 1 ? doubles : longs, got, counts, displs, longs, ring);
	MPI_Comm_free(&ring);
	MPI_Finalize();
	return 0;
}
