/* processes: 2
 * why: buffers of requests that are freed when they may be: after completion, after a start that is over, before the request */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	int rank, flag = 0;
	MPI_Request r[2];
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 0; i < 20; i++) {
		int *a = calloc(500, sizeof *a), *b = calloc(500, sizeof *b);
		MPI_Isend(a, 500, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &r[0]);
		MPI_Irecv(b, 500, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &r[1]);
		MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
		free(a);
		free(b);
	}
	int *a = calloc(500, sizeof *a), *b = calloc(500, sizeof *b);
	MPI_Send_init(a, 500, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &r[0]);
	MPI_Recv_init(b, 500, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &r[1]);
	for (int i = 0; i < 3; i++) {
		MPI_Startall(2, r);
		MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
	}
	free(a);
	free(b);
	MPI_Request_free(&r[0]);
	MPI_Request_free(&r[1]);
	a = calloc(500, sizeof *a);
	MPI_Iallreduce(MPI_IN_PLACE, a, 500, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &r[0]);
	while (!flag)
		MPI_Test(&r[0], &flag, MPI_STATUS_IGNORE);
	free(a);
	MPI_Finalize();
	return 0;
}
