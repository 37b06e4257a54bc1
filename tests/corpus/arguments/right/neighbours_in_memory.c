/* why: buffers that stand side by side */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int values[6] = {1, 2, 3, 4, 5, 6};
	MPI_Allreduce(&values[0], &values[2], 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	MPI_Sendrecv(&values[0], 2, MPI_INT, 1 - rank, 0, &values[2], 2, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD,
		MPI_STATUS_IGNORE);
	MPI_Allgather(&values[4], 1, MPI_INT, &values[0], 1, MPI_INT, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
