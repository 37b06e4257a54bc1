/* processes: 3
 * why: nothing sent from nowhere, and different amounts of different processes */
#include <mpi.h>
#include <stddef.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int value = rank, all[2], counts[3] = {0, 1, 1}, at[3] = {0, 0, 1};
	MPI_Bcast(NULL, 0, MPI_INT, 0, MPI_COMM_WORLD);
	MPI_Gatherv(rank ? &value : NULL, rank ? 1 : 0, MPI_INT, all, counts, at, MPI_INT, 0, MPI_COMM_WORLD);
	MPI_Allgatherv(rank ? &value : NULL, rank ? 1 : 0, MPI_INT, all, counts, at, MPI_INT, MPI_COMM_WORLD);
	int none[3] = {0, 0, 0};
	MPI_Alltoallv(NULL, none, none, MPI_INT, all, none, none, MPI_INT, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
