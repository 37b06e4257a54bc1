/* expect: HB-MESSAGE-LOST|HB-MESSAGE-MISSING|HB-DEADLOCK-ORPHAN|HB-DEADLOCK-CYCLE
 * also: HB-MESSAGE-LOST HB-MESSAGE-MISSING HB-DEADLOCK-ORPHAN HB-DEADLOCK-CYCLE HB-FINALIZE-PENDING
 * why: the message has tag 7, the receive waits for tag 8 */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int value = 1;
	if (rank == 0)
		MPI_Send(&value, 1, MPI_INT, 1, 7, MPI_COMM_WORLD);
	else
		MPI_Recv(&value, 1, MPI_INT, 0, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
