/* expect: HB-ARG-VALUE|HB-ARG-COUNT
 * also: HB-CALL-FAILED HB-FINALIZE-MISSING HB-LEAK-WIN
 * why: the unit of displacements must be positive */
#include <mpi.h>

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	int memory;
	MPI_Win win;
	MPI_Win_create(&memory, sizeof memory, 0, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
