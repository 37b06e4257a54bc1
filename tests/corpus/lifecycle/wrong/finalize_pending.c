/* expect: HB-MESSAGE-MISSING
 * why: a receive is still pending at MPI_Finalize */
#include <mpi.h>

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	static int value;
	MPI_Request request;
	MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &request);
	MPI_Finalize();
	return 0;
}
