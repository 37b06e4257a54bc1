/* processes: 2
 * expect: HB-HANDLE-PREDEFINED
 * also: HB-CALL-FAILED HB-ARG-COMM
 * why: predefined communicators must not be freed */
#include <mpi.h>

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm c = MPI_COMM_SELF;
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	MPI_Comm_free(&c);
	MPI_Finalize();
	return 0;
}
