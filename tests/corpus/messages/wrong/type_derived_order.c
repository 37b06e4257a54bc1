/* expect: HB-MESSAGE-TYPE
 * why: both sides made the same structure, but the fields stand in another order */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	char data[16] = {0};
	int lengths[2] = {1, 2}, other[2] = {2, 1};
	MPI_Aint at[2] = {0, 8}, at2[2] = {0, 8};
	MPI_Datatype types[2] = {MPI_DOUBLE, MPI_INT}, swapped[2] = {MPI_INT, MPI_DOUBLE}, type;
	if (rank == 0)
		MPI_Type_create_struct(2, lengths, at, types, &type);
	else
		MPI_Type_create_struct(2, other, at2, swapped, &type);
	MPI_Type_commit(&type);
	if (rank == 0)
		MPI_Send(data, 1, type, 1, 0, MPI_COMM_WORLD);
	else
		MPI_Recv(data, 1, type, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Type_free(&type);
	MPI_Finalize();
	return 0;
}
