/* why: a process goes on working after MPI_Finalize */
#include <mpi.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Finalize();
	if (rank == 0)
		usleep(500000);
	return 0;
}
