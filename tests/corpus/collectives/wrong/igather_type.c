/* processes: 3
 * expect: HB-COLLECTIVE-TYPE
 * also: HB-BUFFER-TYPE
 * why: process 1 sends a float where the root gathers integers */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int value = rank, all[3];
	MPI_Request request;
	MPI_Igather(&value, 1, rank == 1 ? MPI_FLOAT : MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
