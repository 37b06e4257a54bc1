/* processes: 4
 * expect: HB-COLLECTIVE-COUNT
 * also: HB-DEADLOCK-CYCLE HB-DEADLOCK-ORPHAN HB-HANG HB-CALL-FAILED
 * why: each process of the first group sends two, the second group expects one of each */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	int value[2] = {5, 6}, all[4];
	MPI_Comm half, inter;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_split(MPI_COMM_WORLD, rank / 2, 0, &half);
	MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank < 2 ? 2 : 0, 7, &inter);
	MPI_Allgather(value, rank < 2 ? 2 : 1, MPI_INT, all, 1, MPI_INT, inter);
	MPI_Comm_free(&inter);
	MPI_Comm_free(&half);
	MPI_Finalize();
	return 0;
}
