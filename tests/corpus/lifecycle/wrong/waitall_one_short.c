/* processes: 2
 * expect: HB-LEAK-REQUEST
 * why: MPI_Waitall is told one request too few */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int v[3] = {1, 2, 3}, w[3];
	MPI_Request r[3];
	for (int i = 0; i < 3; i++)
		if (rank == 0)
			MPI_Isend(&v[i], 1, MPI_INT, 1, i, MPI_COMM_WORLD, &r[i]);
		else
			MPI_Irecv(&w[i], 1, MPI_INT, 0, i, MPI_COMM_WORLD, &r[i]);
	MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
