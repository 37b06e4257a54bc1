/* expect: HB-COLLECTIVE-COUNT
 * also: HB-MESSAGE-TRUNCATED HB-CALL-FAILED
 * why: the root sends 4 numbers, the other process wants 8: signatures must be equal (MPI 4.0, 6.4) */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int values[8] = {0};
	MPI_Bcast(values, rank == 0 ? 4 : 8, MPI_INT, 0, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
