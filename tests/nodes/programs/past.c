/* Eight ranks. Rank 3 hears of 5 and 7, and of 0 through 5; it tells 1. 2 tells 4, and 6 tells 5 when 3 has heard all: they are not in its past. Then all stay until there is a
 * file `finish` in the folder that all see; rank 3 dies when there is `die`. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static void tell(int from, int to, int rank)
{
	int x = 0;
	if (rank == from)
		MPI_Send(&x, 1, MPI_INT, to, 0, MPI_COMM_WORLD);
	else if (rank == to)
		MPI_Recv(&x, 1, MPI_INT, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void wait_for(const char *folder, const char *name)
{
	char path[256];
	snprintf(path, sizeof path, "%s/%s", folder, name);
	while (access(path, F_OK))
		usleep(20000);
}

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	tell(0, 5, rank);
	tell(5, 3, rank);
	tell(7, 3, rank);
	tell(3, 1, rank);
	tell(2, 4, rank);
	tell(6, 5, rank);
	if (rank == 3) {
		wait_for(argv[1], "die");
		raise(SIGKILL);
	}
	wait_for(argv[1], "finish");
	return 0;
}
