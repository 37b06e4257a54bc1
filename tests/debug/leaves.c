/* Leaves a file behind right after a stop, and another one when it is asked to end: a process that is killed where it stands
 * leaves none. */
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static int rank;

static void leave(const char *why)
{
	char name[64];
	snprintf(name, sizeof name, "left.%s.%d", why, rank);
	close(open(name, O_CREAT | O_WRONLY, 0644));
}

static void asked(int sig)
{
	(void)sig;
	leave("asked");
}

int main(int argc, char **argv)
{
	signal(SIGTERM, asked);
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Barrier(MPI_COMM_WORLD);
	leave("after");
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
