/* why: an error handler that is freed while it is set, and one that returns codes; neither is provoked */
#include <mpi.h>

static void handle(MPI_Comm *comm, int *code, ...) { MPI_Abort(*comm, 1); }

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int value = rank;
	MPI_Errhandler handler;
	MPI_Comm_create_errhandler(handle, &handler);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
	MPI_Errhandler_free(&handler);
	MPI_Comm_get_errhandler(MPI_COMM_WORLD, &handler);
	MPI_Errhandler_free(&handler);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
