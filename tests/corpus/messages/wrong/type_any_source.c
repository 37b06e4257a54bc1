/* expect: HB-MESSAGE-TYPE
 * why: received from anybody, as another type */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	short out[2] = {1, 2};
	int in;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0)
		MPI_Send(out, 2, MPI_SHORT, 1, 3, MPI_COMM_WORLD);
	else
		MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
