/* expect: HB-MESSAGE-TYPE
 * why: nonblocking: floats are received as integers */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	float out[2] = {1, 2};
	int in[2];
	MPI_Request request;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0)
		MPI_Isend(out, 2, MPI_FLOAT, 1, 3, MPI_COMM_WORLD, &request);
	else
		MPI_Irecv(in, 2, MPI_INT, 0, 3, MPI_COMM_WORLD, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
