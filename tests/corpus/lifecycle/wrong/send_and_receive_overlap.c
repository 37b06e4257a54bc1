/* expect: HB-BUFFER-OVERLAP
 * also: HB-BUFFER-WRITTEN
 * why: a pending send and a pending receive with the same buffer */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int value = rank;
	MPI_Request request[2];
	MPI_Irecv(&value, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request[0]);
	MPI_Isend(&value, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request[1]);
	MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
	MPI_Finalize();
	return 0;
}
