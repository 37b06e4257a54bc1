/* why: MPI_DOUBLE_INT is defined as the structure of both */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	struct {
		double d;
		int i;
	} pair = {1, 2};
	int one[2] = {1, 1};
	MPI_Aint at[2] = {0, 8};
	MPI_Datatype parts[2] = {MPI_DOUBLE, MPI_INT}, type;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Type_create_struct(2, one, at, parts, &type);
	MPI_Type_commit(&type);
	if (rank == 0)
		MPI_Send(&pair, 1, type, 1, 3, MPI_COMM_WORLD);
	else
		MPI_Recv(&pair, 1, MPI_DOUBLE_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Type_free(&type);
	MPI_Finalize();
	return 0;
}
