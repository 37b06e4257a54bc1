/* expect: HB-COLLECTIVE-TYPE
 * also: HB-BUFFER-TYPE
 * why: the same size in bytes, one side pairs of an integer and a float, the other side floats only */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	struct {
		int i;
		float f;
	} pair[2] = {{1, 1}, {2, 2}};
	int lengths[2] = {1, 1};
	MPI_Aint at[2] = {0, sizeof(int)};
	MPI_Datatype types[2] = {MPI_INT, MPI_FLOAT}, type;
	MPI_Type_create_struct(2, lengths, at, types, &type);
	MPI_Type_commit(&type);
	if (rank == 0)
		MPI_Bcast(pair, 2, type, 0, MPI_COMM_WORLD);
	else
		MPI_Bcast(pair, 4, MPI_FLOAT, 0, MPI_COMM_WORLD);
	MPI_Type_free(&type);
	MPI_Finalize();
	return 0;
}
