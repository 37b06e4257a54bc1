/* processes: 4
   why: all but one wait in a barrier for a while */
#include <mpi.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (rank == 1)
		sleep(2);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return size < 1;
}
