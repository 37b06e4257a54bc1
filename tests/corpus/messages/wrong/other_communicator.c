/* expect: HB-MESSAGE-LOST|HB-MESSAGE-MISSING|HB-DEADLOCK-ORPHAN|HB-DEADLOCK-CYCLE
 * also: HB-MESSAGE-LOST HB-MESSAGE-MISSING HB-DEADLOCK-ORPHAN HB-DEADLOCK-CYCLE HB-LEAK-COMM
 * why: sent on a duplicate of the communicator that it is received on */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int value = 1;
	MPI_Comm comm;
	MPI_Comm_dup(MPI_COMM_WORLD, &comm);
	if (rank == 0)
		MPI_Send(&value, 1, MPI_INT, 1, 0, comm);
	else
		MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Comm_free(&comm);
	MPI_Finalize();
	return 0;
}
