/* why: persistent requests of both ends, started ten times, with new contents each time */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int mine, other;
	MPI_Request request[2];
	MPI_Recv_init(&other, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request[0]);
	MPI_Send_init(&mine, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request[1]);
	for (int i = 0; i < 10; i++) {
		mine = i + rank;
		MPI_Startall(2, request);
		MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
	}
	MPI_Request_free(&request[0]);
	MPI_Request_free(&request[1]);
	MPI_Finalize();
	return 0;
}
