/* why: a process may leave by MPI_UNDEFINED */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Comm part;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_split_type(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &part);
	if (part != MPI_COMM_NULL)
		MPI_Comm_free(&part);
	MPI_Finalize();
	return 0;
}
