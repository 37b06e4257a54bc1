/* expect: HB-COLLECTIVE-OP
 * why: process 0 wants the sum, process 1 the maximum (MPI 4.0, 6.9: the same op) */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	double value = rank + 1, result;
	MPI_Allreduce(&value, &result, 1, MPI_DOUBLE, rank == 0 ? MPI_SUM : MPI_MAX, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
