/* expect: HB-MESSAGE-TYPE
 * why: a pair of an integer and a float is received as two integers */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	struct {
		int i;
		float f;
	} pair = {1, 2};
	int lengths[2] = {1, 1}, two[2];
	MPI_Aint at[2] = {0, sizeof(int)};
	MPI_Datatype types[2] = {MPI_INT, MPI_FLOAT}, type;
	MPI_Type_create_struct(2, lengths, at, types, &type);
	MPI_Type_commit(&type);
	if (rank == 0)
		MPI_Send(&pair, 1, type, 1, 0, MPI_COMM_WORLD);
	else
		MPI_Recv(two, 2, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Type_free(&type);
	MPI_Finalize();
	return 0;
}
