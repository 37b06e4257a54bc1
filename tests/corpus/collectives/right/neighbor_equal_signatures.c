/* why: a derived datatype and three of its elements are the same data */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	int dims[1] = {2}, periods[1] = {1};
	MPI_Comm ring;
	int values[6] = {0}, got[6];
	MPI_Datatype three;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &ring);
	MPI_Type_contiguous(3, MPI_INT, &three);
	MPI_Type_commit(&three);
	if (rank == 0)
		MPI_Neighbor_alltoall(values, 1, three, got, 3, MPI_INT, ring);
	else
		MPI_Neighbor_alltoall(values, 3, MPI_INT, got, 1, three, ring);
	MPI_Type_free(&three);
	MPI_Comm_free(&ring);
	MPI_Finalize();
	return 0;
}
