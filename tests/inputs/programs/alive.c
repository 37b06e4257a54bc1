/* Whether other processes live: a neighbour, which is not there when this one is replayed alone, nobody, and a child, which is there and
 * is ended by a signal. */
#include <errno.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *asked(pid_t pid, int sig) { return kill(pid, sig) ? strerror(errno) : "there"; }

int main(int argc, char **argv)
{
	int rank, size, status = 0, mine = getpid(), all[64];
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Allgather(&mine, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
	pid_t child = fork();
	if (!child)
		for (;;)
			pause();
	printf("%d: neighbour %s\n", rank, asked(all[(rank + 1) % size], 0));
	printf("%d: nobody %s\n", rank, asked(0x3fffff, 0));
	printf("%d: child %s\n", rank, asked(child, SIGKILL));
	waitpid(child, &status, 0);
	printf("%d: child ended by signal %d\n", rank, WTERMSIG(status));
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
