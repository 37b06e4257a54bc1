/* expect: HB-COLLECTIVE-VALUE
 * also: HB-DEADLOCK-CYCLE HB-DEADLOCK-ORPHAN HB-MESSAGE-TRUNCATED HB-CALL-FAILED
 * why: only rank 0 wants a ring */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	int dims[1] = {2}, periods[1];
	MPI_Comm grid;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	periods[0] = rank == 0;
	MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &grid);
	MPI_Comm_free(&grid);
	MPI_Finalize();
	return 0;
}
