/* expect: HB-ARG-ALIAS
 * also: HB-CALL-FAILED HB-FINALIZE-MISSING
 * why: the root sends from where it receives */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int all[2] = {0};
	all[rank] = rank;
	MPI_Gather(&all[rank], 1, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
