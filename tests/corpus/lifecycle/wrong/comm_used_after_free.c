/* processes: 2
 * expect: HB-HANDLE-FREED
 * also: HB-CALL-FAILED HB-ARG-COMM HB-COLLECTIVE-CALL HB-COLLECTIVE-MISSING
 * mpi: mpich
 * why: a copy of the handle is used after the communicator was freed */
#include <mpi.h>

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm c, copy;
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_dup(MPI_COMM_WORLD, &c);
	copy = c;
	MPI_Comm_free(&c);
	MPI_Barrier(copy);
	MPI_Finalize();
	return 0;
}
