/* expect: HB-MESSAGE-TYPE
 * why: MPI_DOUBLE_INT is a double and an integer, not two doubles */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	struct {
		double d;
		int i;
	} pair = {1, 2};
	double in[2];
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0)
		MPI_Send(&pair, 1, MPI_DOUBLE_INT, 1, 3, MPI_COMM_WORLD);
	else
		MPI_Recv(in, 2, MPI_DOUBLE, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
