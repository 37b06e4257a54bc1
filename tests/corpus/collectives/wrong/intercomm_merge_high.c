/* processes: 4
 * expect: HB-COLLECTIVE-VALUE
 * also: HB-DEADLOCK-CYCLE HB-DEADLOCK-ORPHAN HB-HANG HB-CALL-FAILED
 * why: the processes of one group must give the same value of high (MPI 4.0, 7.6.3) */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Comm half, inter, all;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_split(MPI_COMM_WORLD, rank / 2, 0, &half);
	MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank < 2 ? 2 : 0, 7, &inter);
	MPI_Intercomm_merge(inter, rank == 1, &all);
	MPI_Comm_free(&all);
	MPI_Comm_free(&inter);
	MPI_Comm_free(&half);
	MPI_Finalize();
	return 0;
}
