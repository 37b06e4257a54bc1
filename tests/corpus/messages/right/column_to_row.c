/* why: a column of a matrix is received as a row: other layouts, the same signature */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	double matrix[4][4] = {{0}}, row[4];
	MPI_Datatype column;
	MPI_Type_vector(4, 1, 4, MPI_DOUBLE, &column);
	MPI_Type_commit(&column);
	if (rank == 0)
		MPI_Send(&matrix[0][1], 1, column, 1, 0, MPI_COMM_WORLD);
	else
		MPI_Recv(row, 4, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Type_free(&column);
	MPI_Finalize();
	return 0;
}
