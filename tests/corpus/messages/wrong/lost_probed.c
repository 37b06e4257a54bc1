/* expect: HB-MESSAGE-LOST
 * why: it is seen by a probe and never received */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	int value = 1;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0)
		MPI_Send(&value, 1, MPI_INT, 1, 7, MPI_COMM_WORLD);
	else
		MPI_Probe(0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
