/* expect: HB-MESSAGE-READY
 * also: HB-CALL-FAILED HB-DEADLOCK-POTENTIAL HB-FINALIZE-MISSING
 * why: the barrier says that the receive comes after the ready send */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	int value = 1;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0)
		MPI_Rsend(&value, 1, MPI_INT, 1, 3, MPI_COMM_WORLD);
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 1)
		MPI_Recv(&value, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
