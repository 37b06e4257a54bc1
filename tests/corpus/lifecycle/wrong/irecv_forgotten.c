/* expect: HB-LEAK-REQUEST|HB-FINALIZE-PENDING
 * also: HB-LEAK-REQUEST HB-FINALIZE-PENDING HB-MESSAGE-LOST
 * why: the request of a receive is never completed, though its message came */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	static int value = 1;
	MPI_Request request;
	if (rank == 0)
		MPI_Irecv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
	else
		MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
