/* processes: 2
 * expect: HB-BUFFER-TYPE
 * why: a vector of MPI_INT over a matrix of double */
#include <mpi.h>

static double matrix[8][8];

int main(int argc, char **argv)
{
	int rank;
	MPI_Datatype column;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Type_vector(8, 1, 8, MPI_INT, &column);
	MPI_Type_commit(&column);
	MPI_Sendrecv_replace(&matrix[0][1], 1, column, !rank, 0, !rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Type_free(&column);
	MPI_Finalize();
	return 0;
}
