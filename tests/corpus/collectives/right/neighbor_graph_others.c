/* processes: 4
 * why: pairs of a graph need not agree with those that are no neighbours of theirs */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	int index[4] = {1, 2, 3, 4}, edges[4] = {1, 0, 3, 2}, values[2] = {0}, got[2], n;
	MPI_Comm pairs;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	n = rank < 2 ? 1 : 2;
	MPI_Graph_create(MPI_COMM_WORLD, 4, index, edges, 0, &pairs);
	MPI_Neighbor_allgather(values, n, MPI_INT, got, n, MPI_INT, pairs);
	MPI_Comm_free(&pairs);
	MPI_Finalize();
	return 0;
}
