/* expect: HB-DEADLOCK-CYCLE|HB-HANG|HB-DEADLOCK-ORPHAN|HB-COLLECTIVE-VALUE
 * also: HB-DEADLOCK-CYCLE HB-DEADLOCK-ORPHAN HB-MESSAGE-TRUNCATED HB-CALL-FAILED
 * why: the two leaders have to give the same tag (MPI 4.0, 7.6.2) */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Comm half, both;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &half);
	MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank, 7 + rank, &both);
	MPI_Comm_free(&both);
	MPI_Comm_free(&half);
	MPI_Finalize();
	return 0;
}
