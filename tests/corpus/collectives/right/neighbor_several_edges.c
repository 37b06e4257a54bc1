/* why: two edges between the same two processes, of different counts, and one to itself */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	int peer[3], counts[3] = {1, 2, 3}, displs[3] = {0, 4, 8}, values[12] = {0}, got[12];
	MPI_Comm graph;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	peer[0] = peer[1] = 1 - rank, peer[2] = rank;
	MPI_Dist_graph_create_adjacent(
		MPI_COMM_WORLD, 3, peer, MPI_UNWEIGHTED, 3, peer, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
	MPI_Neighbor_alltoallv(values, counts, displs, MPI_INT, got, counts, displs, MPI_INT, graph);
	MPI_Comm_free(&graph);
	MPI_Finalize();
	return 0;
}
