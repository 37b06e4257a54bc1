/* why: what counts at the root alone is garbage elsewhere */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int all[2], *where = rank == 0 ? all : 0;
	MPI_Datatype type = rank == 0 ? MPI_INT : MPI_DATATYPE_NULL;
	MPI_Gather(&rank, 1, MPI_INT, where, rank == 0 ? 1 : -7, type, 0, MPI_COMM_WORLD);
	MPI_Scatter(where, rank == 0 ? 1 : -7, type, &rank, 1, MPI_INT, 0, MPI_COMM_WORLD);
	MPI_Reduce(rank == 0 ? MPI_IN_PLACE : (void *)&rank, rank == 0 ? (void *)&rank : 0, 1, MPI_INT, MPI_SUM, 0,
		MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
