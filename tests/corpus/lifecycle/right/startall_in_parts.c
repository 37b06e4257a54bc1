/* why: requests are started one array after the other, again and again, two of them to nobody: each once at a time */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	int value[4] = {0};
	MPI_Request request[4];
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Send_init(&value[0], 1, MPI_INT, 1 - rank, 7, MPI_COMM_WORLD, &request[0]);
	MPI_Recv_init(&value[1], 1, MPI_INT, 1 - rank, 7, MPI_COMM_WORLD, &request[1]);
	MPI_Send_init(&value[2], 1, MPI_INT, MPI_PROC_NULL, 7, MPI_COMM_WORLD, &request[2]);
	MPI_Recv_init(&value[3], 1, MPI_INT, MPI_PROC_NULL, 7, MPI_COMM_WORLD, &request[3]);
	for (int i = 0; i < 3; i++) {
		MPI_Startall(2, request + 1);
		MPI_Start(&request[3]);
		MPI_Startall(1, request);
		MPI_Waitall(4, request, MPI_STATUSES_IGNORE);
		MPI_Startall(4, request);
		MPI_Waitall(4, request, MPI_STATUSES_IGNORE);
	}
	for (int i = 0; i < 4; i++)
		MPI_Request_free(&request[i]);
	MPI_Finalize();
	return 0;
}
