/* processes: 3
 * expect: HB-DEADLOCK-CYCLE
 * why: each posts two receives and waits for both before it sends */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int got[2], value = rank;
	MPI_Request request[2];
	MPI_Irecv(&got[0], 1, MPI_INT, (rank + 1) % 3, 0, MPI_COMM_WORLD, &request[0]);
	MPI_Irecv(&got[1], 1, MPI_INT, (rank + 2) % 3, 0, MPI_COMM_WORLD, &request[1]);
	MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
	MPI_Send(&value, 1, MPI_INT, (rank + 1) % 3, 0, MPI_COMM_WORLD);
	MPI_Send(&value, 1, MPI_INT, (rank + 2) % 3, 0, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
