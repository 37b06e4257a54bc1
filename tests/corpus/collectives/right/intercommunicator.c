/* processes: 4
 * why: in the group of the root the others say MPI_PROC_NULL; counts of the two groups of an allgather may differ */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int value = rank, sum, got[4];
	MPI_Comm half, inter;
	MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &half);
	MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank < 2 ? 2 : 0, 5, &inter);
	MPI_Bcast(&value, 1, MPI_INT, rank >= 2 ? 1 : rank == 1 ? MPI_ROOT : MPI_PROC_NULL, inter);
	MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, inter);
	int two[2] = {rank, rank};
	MPI_Allgather(two, rank < 2 ? 1 : 2, MPI_INT, got, rank < 2 ? 2 : 1, MPI_INT, inter);
	MPI_Barrier(inter);
	MPI_Comm_free(&inter);
	MPI_Comm_free(&half);
	MPI_Finalize();
	return 0;
}
