/* expect: HB-MESSAGE-TRUNCATED
 * also: HB-CALL-FAILED HB-DEADLOCK-CYCLE HB-DEADLOCK-ORPHAN HB-FINALIZE-MISSING
 * why: the error is returned, and the program goes on */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	int value[3] = {1, 2, 3};
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	if (rank == 0)
		MPI_Send(value, 3, MPI_INT, 1, 3, MPI_COMM_WORLD);
	else
		MPI_Recv(value, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
