/* expect: HB-COLLECTIVE-TYPE
 * also: HB-DEADLOCK-CYCLE HB-DEADLOCK-ORPHAN HB-MESSAGE-TRUNCATED HB-CALL-FAILED HB-BUFFER-TYPE
 * why: rank 0 sends MPI_FLOAT, its neighbours receive MPI_INT */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	int dims[1] = {2}, periods[1] = {1};
	MPI_Comm ring;
	int values[4] = {0}, got[4];
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &ring);
	MPI_Neighbor_alltoall(values, 1, rank == 0 ? MPI_FLOAT : MPI_INT, got, 1, MPI_INT, ring);
	MPI_Comm_free(&ring);
	MPI_Finalize();
	return 0;
}
