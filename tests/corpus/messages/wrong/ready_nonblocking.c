/* expect: HB-MESSAGE-READY
 * also: HB-DEADLOCK-POTENTIAL HB-CALL-FAILED
 * why: the same with a nonblocking ready send */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int value = 1;
	MPI_Request request;
	if (rank == 0)
		MPI_Irsend(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 1)
		MPI_Irecv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
