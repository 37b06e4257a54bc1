/* Three ranks. While FOLDER/recorded is there, rank 1 stands outside of MPI after a barrier, rank 0 waits for a message that never comes, and then
 * rank 2 aborts. Without the file rank 1 makes a call in the place of that: in a replay it stands in it, behind the end of its record.
 *
 * usage: stands FOLDER */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char *folder;

static void path_of(const char *name, char path[4200]) { snprintf(path, 4200, "%s/%s", folder, name); }

static int is_there(const char *name)
{
	char path[4200];
	path_of(name, path);
	return !access(path, F_OK);
}

static void make(const char *name)
{
	char path[4200];
	path_of(name, path);
	FILE *f = fopen(path, "w");
	if (f)
		fclose(f);
}

int main(int argc, char **argv)
{
	int rank, n = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	folder = argc > 1 ? argv[1] : ".";
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 1) {
		make("1");
		if (is_there("recorded"))
			pause();
		MPI_Send(&n, 1, MPI_INT, 2, 1, MPI_COMM_WORLD);
		pause();
	}
	if (rank == 0) {
		make("0");
		MPI_Recv(&n, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	while (!is_there("0") || !is_there("1"))
		usleep(1000);
	usleep(300000); /* most likely rank 0 is in its receive by then: if not, its record ends before it */
	abort();
}
