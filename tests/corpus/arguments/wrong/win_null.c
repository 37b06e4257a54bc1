/* expect: HB-ARG-WIN
 * also: HB-CALL-FAILED HB-FINALIZE-MISSING
 * why: MPI_WIN_NULL is no window */
#include <mpi.h>

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Win_fence(0, MPI_WIN_NULL);
	MPI_Finalize();
	return 0;
}
