/* processes: 4
 * expect: HB-COLLECTIVE-OP
 * why: the last process reduces with another operation */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	int value = rank, result = 0;
	MPI_Reduce(&value, &result, 1, MPI_INT, rank == size - 1 ? MPI_PROD : MPI_SUM, 0, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
