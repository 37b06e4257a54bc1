/* expect: HB-CALL-AFTER-FINALIZE
 * also: HB-CALL-FAILED
 * why: a call after MPI_Finalize */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Finalize();
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	return 0;
}
