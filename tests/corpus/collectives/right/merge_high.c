/* processes: 4
 * why: within a group high is the same, between the groups it differs */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Comm half, both, all;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &half);
	MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 7, &both);
	MPI_Intercomm_merge(both, rank % 2, &all);
	MPI_Barrier(all);
	MPI_Comm_free(&all);
	MPI_Comm_free(&both);
	MPI_Comm_free(&half);
	MPI_Finalize();
	return 0;
}
