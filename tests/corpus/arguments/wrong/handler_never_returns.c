/* processes: 3
 * expect: HB-ARG-COMM
 * also: HB-CALL-FAILED HB-FINALIZE-MISSING HB-DEADLOCK-ORPHAN HB-HANG
 * why: the job hangs in the call that is wrong: that it is wrong must be said all the same */
#include <mpi.h>
#include <unistd.h>

static void silent(MPI_Comm *comm, int *error, ...)
{
	(void)comm, (void)error;
	for (;;)
		pause();
}

int main(int argc, char **argv)
{
	int rank;
	MPI_Errhandler handler;
	MPI_Init(&argc, &argv);
	MPI_Comm_create_errhandler(silent, &handler);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 2)
		MPI_Barrier(MPI_COMM_NULL);
	MPI_Errhandler_free(&handler);
	MPI_Finalize();
	return 0;
}
