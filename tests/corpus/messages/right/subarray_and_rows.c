/* why: a block of an array, and rows of elements */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	int value[64] = {0}, sizes[2] = {8, 8}, part[2] = {3, 4}, start[2] = {2, 1};
	MPI_Datatype block;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Type_create_subarray(2, sizes, part, start, MPI_ORDER_C, MPI_INT, &block);
	MPI_Type_commit(&block);
	if (rank == 0)
		MPI_Send(value, 1, block, 1, 3, MPI_COMM_WORLD);
	else
		MPI_Recv(value, 12, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Type_free(&block);
	MPI_Finalize();
	return 0;
}
