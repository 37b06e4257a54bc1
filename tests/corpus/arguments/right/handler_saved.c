/* why: the error handler is asked for, changed and set back */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Errhandler before;
	MPI_Comm_get_errhandler(MPI_COMM_WORLD, &before);
	if (before != MPI_ERRORS_ARE_FATAL)
		MPI_Abort(MPI_COMM_WORLD, 1);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, before);
	MPI_Errhandler_free(&before);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
