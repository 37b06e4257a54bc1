/* expect: HB-ARG-TYPE
 * says: of 3 elements of it the one with number 1 overlaps the first (its extent is 4 bytes)
 * why: a datatype of two ints was given the extent of one, and three of it are received */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	int memory[16] = {0};
	MPI_Datatype type;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Datatype two;
	MPI_Request request;
	MPI_Type_contiguous(2, MPI_INT, &two);
	MPI_Type_create_resized(two, 0, sizeof(int), &type);
	MPI_Type_commit(&type);
	MPI_Type_free(&two);
	if (rank == 0) {
		MPI_Irecv(memory, 3, type, 1, 7, MPI_COMM_WORLD, &request);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	} else {
		MPI_Send(memory, 6, MPI_INT, 0, 7, MPI_COMM_WORLD);
	}
	MPI_Type_free(&type);
	MPI_Finalize();
	return 0;
}
