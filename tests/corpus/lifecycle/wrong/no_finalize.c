/* expect: HB-FINALIZE-MISSING
 * why: all processes leave without MPI_Finalize */
#include <mpi.h>

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Barrier(MPI_COMM_WORLD);
	return 0;
}
