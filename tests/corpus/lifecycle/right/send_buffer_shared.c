/* processes: 2
 * why: pending sends may read the same memory */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int v[3] = {1, 2, 3}, w[3];
	MPI_Request r[2];
	if (rank == 0) {
		MPI_Isend(&v[0], 2, MPI_INT, 1, 1, MPI_COMM_WORLD, &r[0]);
		MPI_Isend(&v[1], 2, MPI_INT, 1, 2, MPI_COMM_WORLD, &r[1]);
		MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
	} else {
		MPI_Recv(w, 2, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Recv(w, 2, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	MPI_Finalize();
	return 0;
}
