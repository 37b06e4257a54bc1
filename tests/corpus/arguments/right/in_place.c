/* why: MPI_IN_PLACE wherever it may stand */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int all[2] = {0}, sums[2] = {1, 1}, other[2];
	all[rank] = rank;
	MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 1, MPI_INT, MPI_COMM_WORLD);
	MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 1, MPI_INT, MPI_COMM_WORLD);
	MPI_Scan(MPI_IN_PLACE, sums, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
	MPI_Reduce_scatter_block(MPI_IN_PLACE, sums, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	MPI_Scatter(all, 1, MPI_INT, rank == 0 ? MPI_IN_PLACE : (void *)other, 1, MPI_INT, 0, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
