/* expect: HB-MESSAGE-TYPE
 * why: 16 bytes on both sides, as four integers and as two doubles */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	int out[4] = {1, 2, 3, 4};
	double in[2];
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0)
		MPI_Send(out, 4, MPI_INT, 1, 3, MPI_COMM_WORLD);
	else
		MPI_Recv(in, 2, MPI_DOUBLE, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
