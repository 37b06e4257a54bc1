/* processes: 3
 * why: a process may be in no part, and has nothing to free then */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm part;
	MPI_Comm_split(MPI_COMM_WORLD, rank == 1 ? MPI_UNDEFINED : 0, -rank, &part);
	if (part != MPI_COMM_NULL) {
		MPI_Barrier(part);
		MPI_Comm_free(&part);
	}
	MPI_Finalize();
	return 0;
}
