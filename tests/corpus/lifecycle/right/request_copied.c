/* processes: 2
 * why: the requests are completed by copies of their variable */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int v[3] = {1, 2, 3}, w[3];
	MPI_Request one, all[3];
	for (int i = 0; i < 3; i++) {
		if (rank == 0)
			MPI_Isend(&v[i], 1, MPI_INT, 1, i, MPI_COMM_WORLD, &one);
		else
			MPI_Irecv(&w[i], 1, MPI_INT, 0, i, MPI_COMM_WORLD, &one);
		all[i] = one;
	}
	MPI_Waitall(3, all, MPI_STATUSES_IGNORE);
	MPI_Finalize();
	return 0;
}
