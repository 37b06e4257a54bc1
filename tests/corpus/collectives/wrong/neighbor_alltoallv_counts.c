/* expect: HB-COLLECTIVE-COUNT
 * also: HB-DEADLOCK-CYCLE HB-DEADLOCK-ORPHAN HB-MESSAGE-TRUNCATED HB-CALL-FAILED
 * why: rank 0 sends 1 along its only edge, rank 1 receives 2 from it */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	int in = 0, out = 1, value[2] = {0}, got[2], sendcounts[1] = {1}, recvcounts[1] = {2}, displs[1] = {0};
	MPI_Comm line;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Dist_graph_create_adjacent(
		MPI_COMM_WORLD, rank, &in, MPI_UNWEIGHTED, 1 - rank, &out, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &line);
	MPI_Neighbor_alltoallv(value, sendcounts, displs, MPI_INT, got, recvcounts, displs, MPI_INT, line);
	MPI_Comm_free(&line);
	MPI_Finalize();
	return 0;
}
