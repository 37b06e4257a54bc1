/* processes: 2
 * why: the root receives around its own block in place */
#include <stddef.h>

#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int v = rank, all[2] = {0}, counts[2] = {1, 1}, displs[2] = {0, 1};
	MPI_Request r;
	if (rank == 0)
		MPI_Igatherv(MPI_IN_PLACE, 0, MPI_INT, all, counts, displs, MPI_INT, 0, MPI_COMM_WORLD, &r);
	else
		MPI_Igatherv(&v, 1, MPI_INT, NULL, NULL, NULL, MPI_INT, 0, MPI_COMM_WORLD, &r);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
