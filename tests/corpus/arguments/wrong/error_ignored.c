/* expect: HB-ARG-RANK
 * also: HB-CALL-FAILED
 * why: the program has asked for error codes and does not look at them */
#include <mpi.h>

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	int value = 1;
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Send(&value, 1, MPI_INT, 12345, 0, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
