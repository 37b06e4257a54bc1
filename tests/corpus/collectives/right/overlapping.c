/* processes: 3
 * why: several nonblocking collectives at a time, waited for in other orders */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int a = rank, b = rank, sum, all[3];
	MPI_Request request[4];
	MPI_Ibcast(&a, 1, MPI_INT, 0, MPI_COMM_WORLD, &request[0]);
	MPI_Iallreduce(&b, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request[1]);
	MPI_Igather(&rank, 1, MPI_INT, all, 1, MPI_INT, 2, MPI_COMM_WORLD, &request[2]);
	MPI_Ibarrier(MPI_COMM_WORLD, &request[3]);
	for (int i = 0; i < 4; i++)
		MPI_Wait(&request[(i + rank) % 4], MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
