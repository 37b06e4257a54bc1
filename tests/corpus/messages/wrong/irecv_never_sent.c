/* expect: HB-MESSAGE-MISSING
 * why: a receive is posted for which no message is ever sent, and nobody waits for it */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int value;
	MPI_Request request;
	if (rank == 0)
		MPI_Irecv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
	MPI_Finalize();
	return 0;
}
