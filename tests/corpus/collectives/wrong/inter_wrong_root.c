/* processes: 4
 * expect: HB-COLLECTIVE-ROOT
 * also: HB-DEADLOCK-CYCLE HB-DEADLOCK-ORPHAN HB-HANG HB-CALL-FAILED HB-MESSAGE-LOST
 * why: process 3 believes that rank 1 of the other group is the root, which is rank 0 */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	int value = 5;
	MPI_Comm half, inter;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_split(MPI_COMM_WORLD, rank / 2, 0, &half);
	MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank < 2 ? 2 : 0, 7, &inter);
	MPI_Bcast(&value, 1, MPI_INT, rank == 0 ? MPI_ROOT : rank == 1 ? MPI_PROC_NULL : rank - 2, inter);
	MPI_Comm_free(&inter);
	MPI_Comm_free(&half);
	MPI_Finalize();
	return 0;
}
