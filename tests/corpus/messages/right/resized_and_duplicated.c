/* why: a resized type and a duplicate have the signature of what they are made of */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int values[9] = {0}, got[3];
	MPI_Datatype wide, copy;
	MPI_Type_create_resized(MPI_INT, 0, 3 * sizeof(int), &wide);
	MPI_Type_dup(wide, &copy);
	MPI_Type_commit(&copy);
	if (rank == 0)
		MPI_Send(values, 3, copy, 1, 0, MPI_COMM_WORLD);
	else
		MPI_Recv(got, 3, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Type_free(&copy);
	MPI_Type_free(&wide);
	MPI_Finalize();
	return 0;
}
