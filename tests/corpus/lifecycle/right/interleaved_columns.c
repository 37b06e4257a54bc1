/* why: two pending receives into columns of one matrix: their ranges overlap, their elements do not */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int matrix[4][4] = {{0}}, mine[4] = {1, 2, 3, 4};
	MPI_Datatype column;
	MPI_Request request[2];
	MPI_Type_vector(4, 1, 4, MPI_INT, &column);
	MPI_Type_commit(&column);
	if (rank == 0) {
		MPI_Irecv(&matrix[0][0], 1, column, 1, 0, MPI_COMM_WORLD, &request[0]);
		MPI_Irecv(&matrix[0][1], 1, column, 1, 1, MPI_COMM_WORLD, &request[1]);
		matrix[1][2] = 7;
		MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
	} else {
		MPI_Send(mine, 4, MPI_INT, 0, 0, MPI_COMM_WORLD);
		MPI_Send(mine, 4, MPI_INT, 0, 1, MPI_COMM_WORLD);
	}
	MPI_Type_free(&column);
	MPI_Finalize();
	return 0;
}
