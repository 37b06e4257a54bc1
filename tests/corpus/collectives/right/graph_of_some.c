/* processes: 3
 * why: a graph of fewer nodes than processes, with a node that has itself as a neighbour */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	int index[2] = {2, 3}, edges[3] = {0, 1, 0}, value = 1, got[2];
	MPI_Comm graph;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Graph_create(MPI_COMM_WORLD, 2, index, edges, 0, &graph);
	if (graph != MPI_COMM_NULL) {
		MPI_Neighbor_allgather(&value, 1, MPI_INT, got, 1, MPI_INT, graph);
		MPI_Comm_free(&graph);
	}
	MPI_Finalize();
	return 0;
}
