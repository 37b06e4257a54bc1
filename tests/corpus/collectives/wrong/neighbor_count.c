/* mpi: openmpi
 * expect: HB-COLLECTIVE-COUNT|HB-CALL-FAILED
 * also: HB-MESSAGE-TRUNCATED HB-DEADLOCK-CYCLE HB-DEADLOCK-ORPHAN
 * why: what a neighbour sends must be what is received of it (MPI 4.0, 8.6.1) */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int dims[1] = {2}, periods[1] = {1}, values[4] = {0}, got[4], n = rank == 0 ? 1 : 2;
	MPI_Comm ring;
	MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &ring);
	MPI_Neighbor_alltoall(values, n, MPI_INT, got, n, MPI_INT, ring);
	MPI_Comm_free(&ring);
	MPI_Finalize();
	return 0;
}
