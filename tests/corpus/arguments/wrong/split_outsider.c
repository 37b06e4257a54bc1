/* processes: 3
 * expect: HB-ARG-COMM
 * also: HB-CALL-FAILED HB-FINALIZE-MISSING
 * why: the process that is in no part uses its communicator all the same */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm part;
	MPI_Comm_split(MPI_COMM_WORLD, rank == 2 ? MPI_UNDEFINED : 0, rank, &part);
	MPI_Barrier(part);
	MPI_Comm_free(&part);
	MPI_Finalize();
	return 0;
}
