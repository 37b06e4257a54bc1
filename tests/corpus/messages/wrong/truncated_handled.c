/* expect: HB-MESSAGE-TRUNCATED
 * also: HB-CALL-FAILED
 * why: truncated, and the program goes on: it has asked for error codes */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int values[8] = {0};
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	if (rank == 0)
		MPI_Send(values, 8, MPI_INT, 1, 0, MPI_COMM_WORLD);
	else
		MPI_Recv(values, 4, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
