/* Whether other processes live: a neighbour, which is not there when this one is replayed alone, nobody, and a child, which is there and
 * is ended by a signal. What the system says of the neighbour is read, too. */
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *asked(pid_t pid, int sig) { return kill(pid, sig) ? strerror(errno) : "there"; }

/* By read and by stdio. */
static void look(int rank, pid_t pid)
{
	char path[40], text[30] = "", line[30] = "none";
	snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
	int fd = open(path, O_RDONLY);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
	if (fd >= 0)
		close(fd);
	FILE *f = fopen(path, "r");
	printf("%d: of it %zd %s, %s\n", rank, n, n < 0 ? strerror(errno) : text,
		f && fgets(line, sizeof line, f) ? line : "none");
	if (f)
		fclose(f);
}

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
	look(rank, all[(rank + 1) % size]);
	printf("%d: child %s\n", rank, asked(child, SIGKILL));
	waitpid(child, &status, 0);
	look(rank, 0x3fffff);
	printf("%d: child ended by signal %d\n", rank, WTERMSIG(status));
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
