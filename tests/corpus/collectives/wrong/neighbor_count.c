/* expect: HB-COLLECTIVE-COUNT
 * also: HB-DEADLOCK-CYCLE HB-DEADLOCK-ORPHAN HB-MESSAGE-TRUNCATED HB-CALL-FAILED
 * why: what a neighbour sends must be what is received of it (MPI 4.0, 8.6.2) */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	int dims[1] = {2}, periods[1] = {1};
	MPI_Comm ring;
	int values[4] = {0}, got[4], n;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	n = rank == 0 ? 1 : 2;
	MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &ring);
	MPI_Neighbor_alltoall(values, n, MPI_INT, got, n, MPI_INT, ring);
	MPI_Comm_free(&ring);
	MPI_Finalize();
	return 0;
}
