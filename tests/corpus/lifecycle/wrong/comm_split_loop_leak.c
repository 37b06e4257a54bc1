/* processes: 2
 * expect: HB-LEAK-COMM
 * why: each turn makes a communicator and none is freed */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm c;
	for (int i = 0; i < 3; i++)
		MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &c);
	MPI_Comm_free(&c);
	MPI_Finalize();
	return 0;
}
