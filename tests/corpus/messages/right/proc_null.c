/* why: communication with MPI_PROC_NULL needs no partner, and a receive from it leaves the buffer alone */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank, size, mine, left = -1, right = -1;
	MPI_Request request[2];
	MPI_Status status;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	mine = rank;
	int below = rank > 0 ? rank - 1 : MPI_PROC_NULL, above = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
	MPI_Sendrecv(&mine, 1, MPI_INT, above, 0, &left, 1, MPI_INT, below, 0, MPI_COMM_WORLD, &status);
	MPI_Irecv(&right, 1, MPI_INT, above, 1, MPI_COMM_WORLD, &request[0]);
	MPI_Isend(&mine, 1, MPI_INT, below, 1, MPI_COMM_WORLD, &request[1]);
	MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
	MPI_Send(&mine, 1, MPI_INT, MPI_PROC_NULL, 2, MPI_COMM_WORLD);
	MPI_Recv(&mine, 1, MPI_INT, MPI_PROC_NULL, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
	MPI_Finalize();
	return mine == rank && (below == MPI_PROC_NULL || left == rank - 1) ? 0 : 1;
}
