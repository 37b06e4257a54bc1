/* processes: 2
 * expect: HB-BUFFER-SIZE
 * why: the last column of a matrix is sent from one element too far */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Datatype columns;
	MPI_Type_vector(4, 2, 4, MPI_INT, &columns);
	MPI_Type_commit(&columns);
	int *matrix = calloc(16, sizeof *matrix);
	if (rank == 0)
		MPI_Send(matrix + 3, 1, columns, 1, 0, MPI_COMM_WORLD);
	else
		MPI_Recv(matrix, 8, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	free(matrix);
	MPI_Type_free(&columns);
	MPI_Finalize();
	return 0;
}
