/* why: persistent sends and receives, one to nobody, started together */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	int out[2] = {1, 2}, in[2];
	MPI_Request request[4];
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int other = 1 - rank;
	MPI_Send_init(out, 2, MPI_INT, other, 1, MPI_COMM_WORLD, &request[0]);
	MPI_Recv_init(in, 2, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &request[1]);
	MPI_Recv_init(in, 2, MPI_INT, other, 1, MPI_COMM_WORLD, &request[2]);
	MPI_Send_init(out, 1, MPI_FLOAT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &request[3]);
	for (int i = 0; i < 3; i++) {
		MPI_Startall(4, request);
		MPI_Waitall(4, request, MPI_STATUSES_IGNORE);
	}
	for (int i = 0; i < 4; i++)
		MPI_Request_free(&request[i]);
	MPI_Finalize();
	return 0;
}
