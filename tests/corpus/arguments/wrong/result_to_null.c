/* expect: HB-ARG-POINTER
 * also: HB-CALL-FAILED HB-FINALIZE-MISSING HB-CRASH
 * why: the size of a communicator goes nowhere */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int *size = 0;
	if (argc > 5)
		size = &rank;
	MPI_Comm_size(MPI_COMM_WORLD, size);
	MPI_Finalize();
	return 0;
}
