/* expect: HB-MESSAGE-LOST
 * why: a small message is sent, and nobody ever receives it (MPI 4.0, 11.2.2: MPI_Finalize) */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank, value = 1;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0)
		MPI_Send(&value, 1, MPI_INT, 1, 7, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
