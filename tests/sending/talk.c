/* Two processes that talk for at least SECONDS; the second kills itself after the KILL-th message (-1: never). */
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int rank, more = 1, kill_at = argc > 2 ? atoi(argv[2]) : -1;
	double seconds = argc > 1 ? atof(argv[1]) : 0, begin;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	begin = MPI_Wtime();
	for (int i = 0; more; i++)
		if (!rank) {
			more = i < 500 || MPI_Wtime() - begin < seconds;
			MPI_Send(&more, 1, MPI_INT, 1, i % 7, MPI_COMM_WORLD);
			MPI_Recv(&i, 1, MPI_INT, 1, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
			if (i % 50 == 0)
				usleep(1000);
		} else {
			MPI_Recv(&more, 1, MPI_INT, 0, i % 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
			if (i == kill_at)
				kill(getpid(), SIGKILL);
			MPI_Send(&i, 1, MPI_INT, 0, 8, MPI_COMM_WORLD);
		}
	MPI_Finalize();
	return 0;
}
