/* expect: HB-COLLECTIVE-CALL
 * also: HB-DEADLOCK-CYCLE HB-DEADLOCK-ORPHAN HB-MESSAGE-TRUNCATED HB-CALL-FAILED HB-COLLECTIVE-MISSING
 * why: rank 0 duplicates, rank 1 makes a grid */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	int dims[1] = {2}, periods[1] = {0};
	MPI_Comm made;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0)
		MPI_Comm_dup(MPI_COMM_WORLD, &made);
	else
		MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &made);
	MPI_Comm_free(&made);
	MPI_Finalize();
	return 0;
}
