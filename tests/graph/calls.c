/* Many calls, a message that nobody receives, a call that fails, and one to itself.
 *
 * usage: calls N     each process makes N barriers */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	int rank, size, n = argc > 1 ? atoi(argv[1]) : 1, number = 0, got = 0;
	MPI_Request request;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	for (int i = 0; i < n; i++)
		MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 0)
		MPI_Send(&number, 1, MPI_INT, size - 1, 99, MPI_COMM_WORLD);
	MPI_Send(&number, 1, MPI_INT, size + 7, 1, MPI_COMM_WORLD);
	MPI_Isend(&number, 1, MPI_INT, rank, 5, MPI_COMM_WORLD, &request);
	MPI_Recv(&got, 1, MPI_INT, rank, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
