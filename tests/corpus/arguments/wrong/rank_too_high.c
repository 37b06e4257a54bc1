/* expect: HB-ARG-RANK
 * also: HB-CALL-FAILED HB-FINALIZE-MISSING
 * why: there is no process with this number */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	int value = 0;
	if (rank == 0)
		MPI_Send(&value, 1, MPI_INT, size, 0, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
