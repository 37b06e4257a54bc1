/* expect: HB-COLLECTIVE-TYPE
 * also: HB-BUFFER-TYPE
 * why: one process reduces integers, the other floats */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	float value = 1, result;
	MPI_Allreduce(&value, &result, 1, rank == 0 ? MPI_INT : MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
