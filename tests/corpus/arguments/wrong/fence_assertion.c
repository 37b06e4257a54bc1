/* expect: HB-ARG-VALUE
 * also: HB-CALL-FAILED HB-FINALIZE-MISSING HB-LEAK-WIN HB-RMA-EPOCH-OPEN
 * why: MPI_MODE_NOCHECK is not for fences */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int *base;
	MPI_Win win;
	MPI_Win_allocate(sizeof *base, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
	MPI_Win_fence(MPI_MODE_NOCHECK, win);
	MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
