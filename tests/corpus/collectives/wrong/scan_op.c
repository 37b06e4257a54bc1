/* processes: 3
 * expect: HB-COLLECTIVE-OP
 * why: process 1 scans with another operation */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int value = rank, result = 0;
	MPI_Scan(&value, &result, 1, MPI_INT, rank == 1 ? MPI_MIN : MPI_SUM, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
