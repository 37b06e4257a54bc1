/* why: two processes that are each other's only neighbour */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	int other, dims[2] = {2, 0};
	MPI_Comm pair;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	other = 1 - rank;
	MPI_Dims_create(2, 2, dims);
	int *unweighted = MPI_UNWEIGHTED;
	MPI_Dist_graph_create_adjacent(
		MPI_COMM_WORLD, 1, &other, unweighted, 1, &other, unweighted, MPI_INFO_NULL, 0, &pair);
	MPI_Comm_free(&pair);
	MPI_Finalize();
	return 0;
}
