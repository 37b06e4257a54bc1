/* why: null requests and inactive ones among those that are waited for */
#include <mpi.h>
#include <stddef.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int value = rank, got, index, flag, n, indices[4];
	MPI_Request request[4] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
	MPI_Wait(&request[0], MPI_STATUS_IGNORE);
	MPI_Waitall(4, request, MPI_STATUSES_IGNORE);
	MPI_Waitany(4, request, &index, MPI_STATUS_IGNORE);
	MPI_Testsome(4, request, &n, indices, MPI_STATUSES_IGNORE);
	MPI_Irecv(&got, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request[1]);
	MPI_Isend(&value, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request[3]);
	MPI_Waitall(4, request, MPI_STATUSES_IGNORE);
	MPI_Testall(4, request, &flag, MPI_STATUSES_IGNORE);
	MPI_Waitall(0, NULL, MPI_STATUSES_IGNORE);
	MPI_Finalize();
	return 0;
}
