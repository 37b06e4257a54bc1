/* processes: 3
 * expect: HB-COLLECTIVE-TYPE
 * also: HB-BUFFER-TYPE
 * why: the root takes floats where integers are sent */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int value = rank, all[3];
	MPI_Gather(&value, 1, rank == 0 ? MPI_FLOAT : MPI_INT, all, 1, MPI_FLOAT, 0, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
