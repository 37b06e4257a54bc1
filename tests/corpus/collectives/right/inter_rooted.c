/* processes: 4
 * why: rooted collectives of an intercommunicator, the root in one group and then in the other */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	int value = 1, all[2] = {0, 0};
	MPI_Comm half, inter;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_split(MPI_COMM_WORLD, rank / 2, 0, &half);
	MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank < 2 ? 2 : 0, 7, &inter);
	MPI_Bcast(&value, 1, MPI_INT, rank == 1 ? MPI_ROOT : rank == 0 ? MPI_PROC_NULL : 1, inter);
	MPI_Gather(&value, rank < 2 ? 1 : 9, MPI_INT, all, 1, MPI_INT,
		rank == 2   ? MPI_ROOT
		: rank == 3 ? MPI_PROC_NULL
			    : 0,
		inter);
	MPI_Reduce(&value, all, 1, MPI_INT, MPI_SUM, rank == 2 ? MPI_ROOT : rank == 3 ? MPI_PROC_NULL : 0, inter);
	MPI_Barrier(inter);
	MPI_Comm_free(&inter);
	MPI_Comm_free(&half);
	MPI_Finalize();
	return 0;
}
