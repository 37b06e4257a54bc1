/* why: MPI_BOTTOM is NULL: right with a datatype made of addresses */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int value = rank, length = 1;
	MPI_Aint at;
	MPI_Datatype here, kind = MPI_INT;
	MPI_Get_address(&value, &at);
	MPI_Type_create_struct(1, &length, &at, &kind, &here);
	MPI_Type_commit(&here);
	MPI_Bcast(MPI_BOTTOM, 1, here, 0, MPI_COMM_WORLD);
	MPI_Type_free(&here);
	MPI_Finalize();
	return 0;
}
