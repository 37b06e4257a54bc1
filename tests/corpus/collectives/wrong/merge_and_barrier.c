/* processes: 2
 * expect: HB-COLLECTIVE-CALL|HB-DEADLOCK-CYCLE|HB-HANG
 * also: HB-DEADLOCK-CYCLE HB-DEADLOCK-ORPHAN HB-MESSAGE-TRUNCATED HB-CALL-FAILED HB-COLLECTIVE-MISSING HB-HANG HB-LEAK-COMM
 * why: rank 0 merges the intercommunicator, rank 1 calls a barrier on it */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Comm half, both, all;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &half);
	MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank, 7, &both);
	if (rank == 0) {
		MPI_Intercomm_merge(both, 0, &all);
		MPI_Comm_free(&all);
	} else {
		MPI_Barrier(both);
	}
	MPI_Comm_free(&both);
	MPI_Comm_free(&half);
	MPI_Finalize();
	return 0;
}
