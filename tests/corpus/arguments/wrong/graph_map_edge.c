/* expect: HB-ARG-VALUE
 * also: HB-CALL-FAILED HB-FINALIZE-MISSING
 * why: where a process would stand in a graph with an edge to a node that is none */
#include <mpi.h>

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	int index[2] = {1, 2}, edges[2] = {1, 2}, rank;
	MPI_Graph_map(MPI_COMM_WORLD, 2, index, edges, &rank);
	MPI_Finalize();
	return 0;
}
