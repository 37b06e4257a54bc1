/* expect: HB-ARG-VALUE
 * also: HB-CALL-FAILED HB-FINALIZE-MISSING HB-CRASH HB-ARG-COMM
 * why: an edge to a node that the graph does not have */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int index[2] = {1, 2}, edges[2] = {1, 2};
	MPI_Comm graph;
	MPI_Graph_create(MPI_COMM_WORLD, 2, index, edges, 0, &graph);
	MPI_Comm_free(&graph);
	MPI_Finalize();
	return 0;
}
