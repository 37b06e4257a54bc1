/* processes: 3
 * expect: HB-LEAK-COMM
 * why: two of three processes free their part */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm part;
	MPI_Comm_split(MPI_COMM_WORLD, rank > 0, rank, &part);
	if (rank > 0)
		MPI_Comm_free(&part);
	MPI_Finalize();
	return 0;
}
