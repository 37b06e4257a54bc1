/* processes: 4
 * expect: HB-COLLECTIVE-VALUE
 * also: HB-DEADLOCK-CYCLE HB-DEADLOCK-ORPHAN HB-MESSAGE-TRUNCATED HB-CALL-FAILED
 * why: the processes want grids of another form */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	int dims[2] = {4, 1}, other[2] = {2, 2}, periods[2] = {0, 0};
	MPI_Comm grid;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Cart_create(MPI_COMM_WORLD, 2, rank == 3 ? other : dims, periods, 0, &grid);
	MPI_Comm_free(&grid);
	MPI_Finalize();
	return 0;
}
