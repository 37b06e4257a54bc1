/* why: the same buffer twice where only one of the two is significant or where both are only read */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	int value = rank, all[2], zero[2] = {0, 0};
	if (rank == 0)
		MPI_Reduce(&value, all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
	else
		MPI_Reduce(&value, &value, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
	if (rank == 0)
		MPI_Gather(&value, 1, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD);
	else
		MPI_Gather(&value, 1, MPI_INT, &value, 1, MPI_INT, 0, MPI_COMM_WORLD);
	MPI_Alltoallv(&value, zero, zero, MPI_INT, all, zero, zero, MPI_INT, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
