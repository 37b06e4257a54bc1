/* why: parts of one array, one after the other */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int all[6] = {0}, counts[2] = {2, 3}, displs[2] = {4, 0};
	MPI_Gatherv(
		rank == 0 ? MPI_IN_PLACE : (void *)all, 3, MPI_INT, all, counts, displs, MPI_INT, 0, MPI_COMM_WORLD);
	MPI_Sendrecv(
		&all[0], 2, MPI_INT, 1 - rank, 0, &all[2], 2, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
