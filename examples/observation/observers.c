/* Different observers, different orders: processes 1 and 2 each report to two observers, 0 and 3. */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

static void observe(int rank)
{
	int who[2];
	for (int i = 0; i < 2; i++)
		MPI_Recv(&who[i], 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	printf("observer %d saw %d, then %d\n", rank, who[0], who[1]);
}

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 0 || rank == 3)
		observe(rank);
	else if (rank == 1 || rank == 2) {
		/* each has its near observer: 0 is near to 1, 3 to 2 */
		MPI_Send(&rank, 1, MPI_INT, rank == 1 ? 0 : 3, 0, MPI_COMM_WORLD);
		usleep(300000);
		MPI_Send(&rank, 1, MPI_INT, rank == 1 ? 3 : 0, 0, MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return 0;
}
