/* expect: HB-ARG-RANK
 * also: HB-CALL-FAILED HB-FINALIZE-MISSING
 * why: a send has one receiver: MPI_ANY_SOURCE is for receives only */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int value = 1;
	if (rank == 0)
		MPI_Send(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
