/* expect: HB-MESSAGE-TYPE
 * why: the structures have their parts in another order */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	char buffer[64] = {0};
	int one[2] = {1, 1};
	MPI_Aint at[2] = {0, 8};
	MPI_Datatype sent[2] = {MPI_DOUBLE, MPI_INT}, received[2] = {MPI_INT, MPI_DOUBLE}, type;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Type_create_struct(2, one, at, rank ? received : sent, &type);
	MPI_Type_commit(&type);
	if (rank == 0)
		MPI_Send(buffer, 1, type, 1, 3, MPI_COMM_WORLD);
	else
		MPI_Recv(buffer, 1, type, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Type_free(&type);
	MPI_Finalize();
	return 0;
}
