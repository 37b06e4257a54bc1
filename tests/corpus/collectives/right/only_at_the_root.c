/* processes: 3
 * why: arguments that are significant at the root only may be anything elsewhere */
#include <mpi.h>
#include <stddef.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int value = rank, all[3], counts[3] = {1, 1, 1}, at[3] = {0, 1, 2};
	if (rank == 1) {
		MPI_Gather(&value, 1, MPI_INT, all, 1, MPI_INT, 1, MPI_COMM_WORLD);
		MPI_Gatherv(&value, 1, MPI_INT, all, counts, at, MPI_INT, 1, MPI_COMM_WORLD);
		MPI_Scatterv(all, counts, at, MPI_INT, &value, 1, MPI_INT, 1, MPI_COMM_WORLD);
		MPI_Reduce(&value, all, 1, MPI_INT, MPI_SUM, 1, MPI_COMM_WORLD);
	} else {
		MPI_Gather(&value, 1, MPI_INT, NULL, -7, MPI_DATATYPE_NULL, 1, MPI_COMM_WORLD);
		MPI_Gatherv(&value, 1, MPI_INT, NULL, NULL, NULL, MPI_DATATYPE_NULL, 1, MPI_COMM_WORLD);
		MPI_Scatterv(NULL, NULL, NULL, MPI_DATATYPE_NULL, &value, 1, MPI_INT, 1, MPI_COMM_WORLD);
		MPI_Reduce(&value, NULL, 1, MPI_INT, MPI_SUM, 1, MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return 0;
}
