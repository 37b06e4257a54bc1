/* processes: 2
 * expect: HB-BUFFER-OVERLAP
 * also: HB-BUFFER-WRITTEN
 * why: the buffer of a pending send is received into */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int v = rank, w = 0;
	MPI_Request r;
	MPI_Isend(&v, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, &r);
	MPI_Recv(&v, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	(void)w;
	MPI_Finalize();
	return 0;
}
