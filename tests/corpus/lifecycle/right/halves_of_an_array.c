/* why: one half is sent while the other half is received and the rest is changed */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int values[10] = {0};
	MPI_Request request[2];
	MPI_Irecv(values, 4, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request[0]);
	MPI_Isend(values + 4, 4, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request[1]);
	values[8] = values[9] = 3;
	MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
	values[0]++;
	MPI_Finalize();
	return 0;
}
