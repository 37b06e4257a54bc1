/* why: a structure of a vector and single elements have the same types in the same order */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	double value[32] = {0};
	MPI_Datatype column;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Type_vector(4, 1, 8, MPI_DOUBLE, &column);
	MPI_Type_commit(&column);
	if (rank == 0)
		MPI_Send(value, 1, column, 1, 3, MPI_COMM_WORLD);
	else
		MPI_Recv(value, 4, MPI_DOUBLE, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Type_free(&column);
	MPI_Finalize();
	return 0;
}
