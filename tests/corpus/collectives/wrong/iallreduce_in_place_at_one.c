/* expect: HB-COLLECTIVE-IN-PLACE
 * why: MPI_IN_PLACE has to be given at all processes (MPI 4.0, 6.9.6) */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	int value = 1, sum;
	MPI_Request request;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Iallreduce(rank == 0 ? MPI_IN_PLACE : &value, rank == 0 ? &value : &sum, 1, MPI_INT, MPI_SUM,
		MPI_COMM_WORLD, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
