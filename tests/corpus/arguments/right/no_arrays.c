/* why: arrays that nobody looks at may be null: not at the root, in place, and where they are empty */
#include <mpi.h>
#include <stddef.h>

int main(int argc, char **argv)
{
	int rank, a = 1, b[2], counts[2] = {1, 1}, displs[2] = {0, 1};
	MPI_Group all, none;
	MPI_Comm graph;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0)
		MPI_Gatherv(&a, 1, MPI_INT, b, counts, displs, MPI_INT, 0, MPI_COMM_WORLD);
	else
		MPI_Gatherv(&a, 1, MPI_INT, NULL, NULL, NULL, MPI_INT, 0, MPI_COMM_WORLD);
	MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, b, counts, displs, MPI_INT, MPI_COMM_WORLD);
	MPI_Comm_group(MPI_COMM_WORLD, &all);
	MPI_Group_incl(all, 0, NULL, &none);
	MPI_Dist_graph_create_adjacent(
		MPI_COMM_WORLD, 0, NULL, MPI_WEIGHTS_EMPTY, 0, NULL, MPI_WEIGHTS_EMPTY, MPI_INFO_NULL, 0, &graph);
	MPI_Comm_free(&graph);
	MPI_Group_free(&all);
	MPI_Finalize();
	return 0;
}
