/* processes: 2
 * why: sends that are complete at once may share a handle; buffers are used again as they complete */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int v[4] = {1, 2, 3, 4}, w[4];
	MPI_Request r[4];
	if (rank == 0) {
		for (int i = 0; i < 4; i++)
			MPI_Isend(&v[i], 1, MPI_INT, 1, i, MPI_COMM_WORLD, &r[i]);
		for (int i = 3; i >= 0; i--) {
			MPI_Wait(&r[i], MPI_STATUS_IGNORE);
			v[i] = 0;
		}
	} else {
		for (int i = 0; i < 4; i++)
			MPI_Recv(&w[i], 1, MPI_INT, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	MPI_Finalize();
	return 0;
}
