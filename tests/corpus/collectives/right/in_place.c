/* processes: 3
 * why: MPI_IN_PLACE wherever it may stand */
#include <mpi.h>
#include <stddef.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int one = rank, all[3] = {0}, sums[3] = {rank, rank, rank}, exchange[3] = {rank, rank, rank};
	all[rank] = rank;
	MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 1, MPI_INT, MPI_COMM_WORLD);
	MPI_Allreduce(MPI_IN_PLACE, sums, 3, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, exchange, 1, MPI_INT, MPI_COMM_WORLD);
	MPI_Scan(MPI_IN_PLACE, &one, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	if (rank == 0) {
		MPI_Reduce(MPI_IN_PLACE, &one, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
		MPI_Gather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 1, MPI_INT, 0, MPI_COMM_WORLD);
		MPI_Scatter(all, 1, MPI_INT, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD);
	} else {
		MPI_Reduce(&one, NULL, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
		MPI_Gather(&one, 1, MPI_INT, NULL, 0, MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD);
		MPI_Scatter(NULL, 0, MPI_DATATYPE_NULL, &one, 1, MPI_INT, 0, MPI_COMM_WORLD);
	}
	MPI_Reduce_scatter_block(MPI_IN_PLACE, sums, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
