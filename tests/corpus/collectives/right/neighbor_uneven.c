/* processes: 3
 * why: a directed graph: each edge has a count of its own, and some processes only send or receive */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	int in[3] = {0, 1, 0}, out[3] = {1, 2, 0}, displs[2] = {0, 4}, values[8] = {0}, got[8];
	MPI_Comm graph;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	/* 0 -> 1, 0 -> 2, 1 -> 2: as many as the number of the destination, one more from rank 1 */
	int sources = rank, destinations = 2 - rank, send[2] = {rank == 0 ? 1 : 3, 2}, recv[2] = {rank, 3};
	MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, sources, in, MPI_UNWEIGHTED, destinations, out + rank,
		MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
	MPI_Neighbor_alltoallv(values, send, displs, MPI_INT, got, recv, displs, MPI_INT, graph);
	MPI_Comm_free(&graph);
	MPI_Finalize();
	return 0;
}
