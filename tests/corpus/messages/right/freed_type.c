/* why: a datatype is freed while its message is under way, and another takes its place */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	double value[16] = {0};
	MPI_Datatype type;
	MPI_Request request;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 1; i < 4; i++) {
		MPI_Type_vector(i, 1, 2, i % 2 ? MPI_DOUBLE : MPI_FLOAT, &type);
		MPI_Type_commit(&type);
		if (rank == 0)
			MPI_Isend(value, 1, type, 1, 3, MPI_COMM_WORLD, &request);
		else
			MPI_Irecv(value, 1, type, 0, 3, MPI_COMM_WORLD, &request);
		MPI_Type_free(&type);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	}
	MPI_Finalize();
	return 0;
}
