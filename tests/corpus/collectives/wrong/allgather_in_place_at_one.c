/* expect: HB-COLLECTIVE-IN-PLACE
 * why: MPI_IN_PLACE has to be given at all processes (MPI 4.0, 6.7) */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	int value, all[2] = {0, 1};
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	value = rank;
	MPI_Allgather(rank == 0 ? MPI_IN_PLACE : &value, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
