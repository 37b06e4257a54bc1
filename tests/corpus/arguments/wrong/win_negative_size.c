/* expect: HB-ARG-VALUE|HB-ARG-COUNT
 * also: HB-CALL-FAILED HB-FINALIZE-MISSING HB-LEAK-WIN
 * why: a window of a negative size */
#include <mpi.h>

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	int memory;
	MPI_Win win;
	MPI_Win_create(&memory, -4, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
