/* why: the types of MINLOC are pairs: an own structure of the same fields matches them */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	struct {
		double x;
		int i;
	} pair = {1, 2};
	int lengths[2] = {1, 1};
	MPI_Aint at[2] = {0, 8};
	MPI_Datatype types[2] = {MPI_DOUBLE, MPI_INT}, type;
	MPI_Type_create_struct(2, lengths, at, types, &type);
	MPI_Type_commit(&type);
	if (rank == 0)
		MPI_Send(&pair, 1, MPI_DOUBLE_INT, 1, 0, MPI_COMM_WORLD);
	else
		MPI_Recv(&pair, 1, type, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Type_free(&type);
	MPI_Finalize();
	return 0;
}
