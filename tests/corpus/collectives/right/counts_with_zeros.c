/* processes: 3
 * why: counts that differ by zeros in front, on communicators of two sizes */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	int two[2] = {0, 1}, three[3] = {0, 0, 1}, displs[3] = {0, 0, 0}, value = 1, got[2];
	MPI_Comm pair;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_split(MPI_COMM_WORLD, rank < 2 ? 0 : MPI_UNDEFINED, 0, &pair);
	if (pair != MPI_COMM_NULL) {
		MPI_Allgatherv(&value, two[rank], MPI_INT, got, two, displs, MPI_INT, pair);
		MPI_Comm_free(&pair);
	}
	MPI_Allgatherv(&value, three[rank], MPI_INT, got, three, displs, MPI_INT, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
