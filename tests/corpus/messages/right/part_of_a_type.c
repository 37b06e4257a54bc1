/* mpi: openmpi
 * why: a message may end in the middle of the receiver's type (MPICH 4.0 dies of a division by zero) */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	struct {
		int i;
		float f;
	} pairs[4] = {{0}};
	int lengths[2] = {1, 1}, elements = 3;
	MPI_Aint at[2] = {0, sizeof(int)};
	MPI_Datatype types[2] = {MPI_INT, MPI_FLOAT}, type, odd;
	MPI_Status status;
	MPI_Type_create_struct(2, lengths, at, types, &type);
	MPI_Type_commit(&type);
	int blocks[3] = {1, 1, 1};
	MPI_Aint three_at[3] = {0, 4, 8};
	MPI_Datatype three[3] = {MPI_INT, MPI_FLOAT, MPI_INT};
	MPI_Type_create_struct(3, blocks, three_at, three, &odd);
	MPI_Type_commit(&odd);
	if (rank == 0)
		MPI_Send(pairs, 1, odd, 1, 0, MPI_COMM_WORLD);
	else {
		MPI_Recv(pairs, 4, type, 0, 0, MPI_COMM_WORLD, &status);
		MPI_Get_elements(&status, type, &elements);
	}
	MPI_Type_free(&type);
	MPI_Type_free(&odd);
	MPI_Finalize();
	return elements != 3;
}
