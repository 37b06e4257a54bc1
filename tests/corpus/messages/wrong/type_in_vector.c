/* expect: HB-MESSAGE-TYPE
 * why: a column of doubles is received into a column of pairs of floats */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	double out[16] = {0};
	float in[32];
	MPI_Datatype column;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0)
		MPI_Type_vector(4, 1, 4, MPI_DOUBLE, &column);
	else
		MPI_Type_vector(4, 2, 8, MPI_FLOAT, &column);
	MPI_Type_commit(&column);
	if (rank == 0)
		MPI_Send(out, 1, column, 1, 3, MPI_COMM_WORLD);
	else
		MPI_Recv(in, 1, column, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Type_free(&column);
	MPI_Finalize();
	return 0;
}
