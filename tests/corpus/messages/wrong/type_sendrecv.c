/* expect: HB-MESSAGE-TYPE
 * why: each sends longs and receives doubles */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	long out = 1;
	double in;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Sendrecv(
		&out, 1, MPI_LONG, 1 - rank, 3, &in, 1, MPI_DOUBLE, 1 - rank, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
