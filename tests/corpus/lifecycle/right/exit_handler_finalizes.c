/* processes: 2
 * why: MPI_Finalize is called by a function of atexit */
#include <mpi.h>
#include <stdlib.h>

static void last(void) { MPI_Finalize(); }

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	atexit(last);
	MPI_Barrier(MPI_COMM_WORLD);
	return 0;
}
