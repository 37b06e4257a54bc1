/* why: collectives of two communicators may be started in any order */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int a = rank, b = rank;
	MPI_Comm other;
	MPI_Request request[2];
	MPI_Comm_dup(MPI_COMM_WORLD, &other);
	MPI_Ibcast(rank ? &b : &a, 1, MPI_INT, rank ? 1 : 0, rank ? other : MPI_COMM_WORLD, &request[0]);
	MPI_Ibcast(rank ? &a : &b, 1, MPI_INT, rank ? 0 : 1, rank ? MPI_COMM_WORLD : other, &request[1]);
	MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
	MPI_Comm_free(&other);
	return MPI_Finalize() || a != 0 || b != 1;
}
