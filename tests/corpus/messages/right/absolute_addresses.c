/* why: MPI_BOTTOM with addresses in the type */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int a = 1, b = 2, lengths[2] = {1, 1};
	MPI_Aint at[2];
	MPI_Datatype type;
	MPI_Get_address(&a, &at[0]);
	MPI_Get_address(&b, &at[1]);
	MPI_Type_create_hindexed(2, lengths, at, MPI_INT, &type);
	MPI_Type_commit(&type);
	int two[2];
	if (rank == 0)
		MPI_Send(MPI_BOTTOM, 1, type, 1, 0, MPI_COMM_WORLD);
	else
		MPI_Recv(two, 2, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Type_free(&type);
	MPI_Finalize();
	return 0;
}
