/* expect: HB-ARG-ALIAS|HB-BUFFER-OVERLAP
 * also: HB-CALL-FAILED HB-FINALIZE-MISSING HB-ARG-ALIAS HB-BUFFER-OVERLAP
 * why: the buffers of MPI_Sendrecv must be disjoint (MPI 4.0, 3.10) */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int value = rank;
	MPI_Sendrecv(
		&value, 1, MPI_INT, 1 - rank, 0, &value, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
