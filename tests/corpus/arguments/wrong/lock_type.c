/* expect: HB-ARG-VALUE
 * also: HB-CALL-FAILED HB-FINALIZE-MISSING HB-LEAK-WIN HB-RMA-EPOCH-END HB-RMA-EPOCH-OPEN
 * why: a lock of no kind */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int *base;
	MPI_Win win;
	MPI_Win_allocate(sizeof *base, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
	MPI_Win_lock(4711, 0, 0, win);
	MPI_Win_unlock(0, win);
	MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
