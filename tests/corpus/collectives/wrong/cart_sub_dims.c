/* processes: 4
 * expect: HB-COLLECTIVE-VALUE
 * also: HB-DEADLOCK-CYCLE HB-DEADLOCK-ORPHAN HB-MESSAGE-TRUNCATED HB-CALL-FAILED HB-COLLECTIVE-CALL HB-COLLECTIVE-MISSING
 * why: rank 3 keeps another dimension than the others */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	int dims[2] = {2, 2}, periods[2] = {0, 0}, rows[2] = {0, 1}, columns[2] = {1, 0};
	MPI_Comm grid, part;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
	MPI_Cart_sub(grid, rank == 3 ? columns : rows, &part);
	MPI_Comm_free(&part);
	MPI_Comm_free(&grid);
	MPI_Finalize();
	return 0;
}
