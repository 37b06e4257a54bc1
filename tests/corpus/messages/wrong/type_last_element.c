/* expect: HB-MESSAGE-TYPE
 * why: only the last of many elements has another type */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	char buffer[64] = {0};
	int lengths[2] = {10, 1};
	MPI_Aint at[2] = {0, 40};
	MPI_Datatype parts[2] = {MPI_INT, MPI_FLOAT}, type;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Type_create_struct(2, lengths, at, parts, &type);
	MPI_Type_commit(&type);
	if (rank == 0)
		MPI_Send(buffer, 11, MPI_INT, 1, 3, MPI_COMM_WORLD);
	else
		MPI_Recv(buffer, 1, type, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Type_free(&type);
	MPI_Finalize();
	return 0;
}
