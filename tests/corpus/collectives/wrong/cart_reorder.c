/* expect: HB-COLLECTIVE-VALUE
 * also: HB-HANG HB-DEADLOCK-CYCLE HB-DEADLOCK-ORPHAN HB-HANG HB-CALL-FAILED
 * why: one process allows ranks to be reordered, the other does not */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	int dims = 2, periods = 0;
	MPI_Comm cart;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Cart_create(MPI_COMM_WORLD, 1, &dims, &periods, rank, &cart);
	MPI_Comm_free(&cart);
	MPI_Finalize();
	return 0;
}
