/* Rank 1 asks again and again for a message that never comes; all others wait for it. */
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank, there = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	while (rank == 1 && !there)
		MPI_Iprobe(0, 5, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
