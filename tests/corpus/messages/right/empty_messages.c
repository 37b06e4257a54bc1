/* why: messages of nothing: no elements, an empty type, no address */
#include <mpi.h>
#include <stddef.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Datatype empty;
	MPI_Type_contiguous(0, MPI_INT, &empty);
	MPI_Type_commit(&empty);
	if (rank == 0) {
		MPI_Send(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD);
		MPI_Send(NULL, 5, empty, 1, 1, MPI_COMM_WORLD);
	} else {
		MPI_Recv(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Recv(NULL, 0, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	MPI_Type_free(&empty);
	MPI_Finalize();
	return 0;
}
