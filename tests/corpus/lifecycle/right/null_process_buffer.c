/* processes: 2
 * why: operations with MPI_PROC_NULL have no buffer */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int v = rank, w = 0;
	MPI_Request r[2];
	MPI_Irecv(&w, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &r[0]);
	MPI_Irecv(&w, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &r[1]);
	MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
	(void)v;
	MPI_Finalize();
	return 0;
}
