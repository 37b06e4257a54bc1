/* processes: 2
 * expect: HB-BUFFER-OVERLAP
 * why: a broadcast writes into the buffer of a pending receive */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int v = rank, w = 5;
	MPI_Request r;
	if (rank == 1)
		MPI_Irecv(&w, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &r);
	MPI_Bcast(&w, 1, MPI_INT, 0, MPI_COMM_WORLD);
	if (rank == 0)
		MPI_Send(&v, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
	else
		MPI_Wait(&r, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
