/* expect: HB-ARG-TYPE
 * says: its entries overlap (at byte 4 of it)
 * why: the two blocks of the datatype share an int, and a message is received with it */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	int memory[16] = {0};
	MPI_Datatype type;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int lengths[2] = {2, 2}, places[2] = {0, 1};
	MPI_Type_indexed(2, lengths, places, MPI_INT, &type);
	MPI_Type_commit(&type);
	if (rank == 0)
		MPI_Recv(memory, 1, type, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	else
		MPI_Send(memory, 4, MPI_INT, 0, 7, MPI_COMM_WORLD);
	MPI_Type_free(&type);
	MPI_Finalize();
	return 0;
}
