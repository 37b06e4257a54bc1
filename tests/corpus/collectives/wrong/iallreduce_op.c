/* expect: HB-COLLECTIVE-OP
 * why: operations of a nonblocking reduction differ */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int value = rank, sum = 0;
	MPI_Request request;
	MPI_Iallreduce(&value, &sum, 1, MPI_INT, rank == 0 ? MPI_LAND : MPI_LOR, MPI_COMM_WORLD, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
