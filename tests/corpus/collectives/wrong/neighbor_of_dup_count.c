/* expect: HB-COLLECTIVE-COUNT
 * also: HB-DEADLOCK-CYCLE HB-DEADLOCK-ORPHAN HB-MESSAGE-TRUNCATED HB-CALL-FAILED
 * why: a duplicate has the topology of what it was made of: rank 0 sends 2, 1 receives 1 */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	int dims[1] = {2}, periods[1] = {1};
	MPI_Comm ring;
	int values[4] = {0}, got[4];
	MPI_Comm copy;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &ring);
	MPI_Comm_dup(ring, &copy);
	MPI_Neighbor_alltoall(values, rank == 0 ? 2 : 1, MPI_INT, got, 1, MPI_INT, copy);
	MPI_Comm_free(&copy);
	MPI_Comm_free(&ring);
	MPI_Finalize();
	return 0;
}
