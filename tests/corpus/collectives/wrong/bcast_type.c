/* expect: HB-COLLECTIVE-TYPE
 * also: HB-BUFFER-TYPE
 * why: as many bytes, but of another type */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	float values[4] = {0};
	MPI_Bcast(values, 4, rank == 0 ? MPI_INT : MPI_FLOAT, 0, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
