/* processes: 4
 * expect: HB-COLLECTIVE-ROOT
 * also: HB-DEADLOCK-CYCLE HB-DEADLOCK-ORPHAN HB-CALL-FAILED HB-MESSAGE-LOST
 * why: both processes of the root group of an intercommunicator say that they are the root */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int value = rank;
	MPI_Comm half, inter;
	MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &half);
	MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank < 2 ? 2 : 0, 5, &inter);
	MPI_Bcast(&value, 1, MPI_INT, rank < 2 ? MPI_ROOT : 0, inter);
	MPI_Comm_free(&inter);
	MPI_Comm_free(&half);
	MPI_Finalize();
	return 0;
}
