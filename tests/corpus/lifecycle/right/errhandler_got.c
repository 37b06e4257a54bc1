/* processes: 2
 * why: error handlers that are asked for count as references */
#include <mpi.h>

static void nothing(MPI_Comm *comm, int *code, ...)
{
	(void)comm;
	(void)code;
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Errhandler e, f;
	MPI_Comm_create_errhandler(nothing, &e);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, e);
	MPI_Errhandler_free(&e);
	MPI_Comm_get_errhandler(MPI_COMM_WORLD, &f);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, f);
	MPI_Errhandler_free(&f);
	MPI_Finalize();
	return 0;
}
