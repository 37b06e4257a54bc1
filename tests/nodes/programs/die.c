/* die RANK: process RANK ends itself in the middle of a run in which all others wait for it. */
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	int rank, value = 0, who = argc > 1 ? atoi(argv[1]) : 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 0; i < 20; i++)
		MPI_Barrier(MPI_COMM_WORLD);
	if (rank == who)
		raise(SIGKILL);
	MPI_Recv(&value, 1, MPI_INT, who, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
