/* expect: HB-ARG-ALIAS
 * also: HB-CALL-FAILED HB-FINALIZE-MISSING
 * why: two processes receive into the same place */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int all[4] = {0}, counts[2] = {2, 2}, displs[2] = {0, 1}, mine[2] = {1, 2};
	MPI_Allgatherv(mine, 2, MPI_INT, all, counts, displs, MPI_INT, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
