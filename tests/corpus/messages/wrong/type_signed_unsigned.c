/* expect: HB-MESSAGE-TYPE
 * why: MPI_INT and MPI_UNSIGNED are different types to the standard */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	int value = 1;
	unsigned got;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0)
		MPI_Send(&value, 1, MPI_INT, 1, 3, MPI_COMM_WORLD);
	else
		MPI_Recv(&got, 1, MPI_UNSIGNED, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
