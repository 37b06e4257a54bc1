/* why: the highest tag is an attribute of MPI_COMM_WORLD */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int value = 0, *highest, found;
	MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &highest, &found);
	if (rank == 0)
		MPI_Send(&value, 1, MPI_INT, 1, *highest, MPI_COMM_WORLD);
	else
		MPI_Recv(&value, 1, MPI_INT, 0, *highest, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
