/* expect: HB-ARG-COMM
 * also: HB-CALL-FAILED HB-FINALIZE-MISSING
 * why: MPI_COMM_WORLD is not a grid */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int from, to;
	MPI_Cart_shift(MPI_COMM_WORLD, 0, 1, &from, &to);
	MPI_Finalize();
	return 0;
}
