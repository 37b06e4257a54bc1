/* why: MPI_IN_PLACE at the root, or in Reduce_scatter and Scan at some processes only, is right */
#include <mpi.h>
#include <stddef.h>

int main(int argc, char **argv)
{
	int rank;
	int value[2] = {1, 1}, sum[2] = {0}, counts[2] = {2, 0};
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0)
		MPI_Reduce(MPI_IN_PLACE, value, 2, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
	else
		MPI_Reduce(value, NULL, 2, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
	if (rank == 0)
		MPI_Reduce_scatter(MPI_IN_PLACE, value, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	else
		MPI_Reduce_scatter(value, sum, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
