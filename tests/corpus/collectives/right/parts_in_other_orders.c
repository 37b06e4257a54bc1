/* processes: 4
 * why: rows and columns: the processes call collectives of different communicators at the same time */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int sum;
	MPI_Comm row, column, both;
	MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &row);
	MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &column);
	MPI_Comm_dup(MPI_COMM_WORLD, &both);
	MPI_Allreduce(&rank, &sum, 1, MPI_INT, rank < 2 ? MPI_SUM : MPI_MAX, row);
	if (rank % 2)
		MPI_Bcast(&sum, 1, MPI_INT, 1, column);
	else
		MPI_Barrier(column);
	MPI_Barrier(both);
	MPI_Comm_free(&both);
	MPI_Comm_free(&column);
	MPI_Comm_free(&row);
	MPI_Finalize();
	return 0;
}
