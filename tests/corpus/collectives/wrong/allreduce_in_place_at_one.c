/* expect: HB-COLLECTIVE-IN-PLACE
 * why: MPI_IN_PLACE has to be given at all processes (MPI 4.0, 6.9.6) */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	int value = 1, sum;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0)
		MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	else
		MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
