/*
 * processes: 2
 * why: processes that are started by a rank: fork, fork and exec, system, popen, posix_spawn, vfork
 */
#include <mpi.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
extern char **environ;

int main(int argc, char **argv)
{
	int rank, x, status, ok = 0;
	MPI_Request r[2];
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Irecv(&x, 1, MPI_INT, !rank, 0, MPI_COMM_WORLD, &r[0]);
	MPI_Isend(&rank, 1, MPI_INT, !rank, 0, MPI_COMM_WORLD, &r[1]);
	pid_t p = fork();
	if (!p) {
		x = 5; /* its own memory */
		_exit(3);
	}
	waitpid(p, &status, 0);
	ok += WEXITSTATUS(status) == 3;
	MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
	if (!(p = fork())) {
		execl("/bin/sh", "sh", "-c", "exit 4", NULL);
		_exit(9);
	}
	waitpid(p, &status, 0);
	ok += WEXITSTATUS(status) == 4;
	if (!(p = vfork())) {
		execl("/bin/true", "true", NULL);
		_exit(9);
	}
	waitpid(p, &status, 0);
	ok += status == 0;
	ok += system("exit 5") == 5 << 8;
	FILE *f = popen("echo 7", "r");
	int seven = 0;
	if (fscanf(f, "%d", &seven) == 1)
		ok += seven == 7;
	pclose(f);
	posix_spawn(&p, "/bin/true", NULL, NULL, (char *[]){"true", NULL}, environ);
	waitpid(p, &status, 0);
	ok += status == 0;
	if (!(p = fork()))
		exit(0); /* runs the exit handlers, too */
	waitpid(p, &status, 0);
	ok += status == 0;
	MPI_Barrier(MPI_COMM_WORLD);
	printf("%d %d\n", ok, x);
	MPI_Finalize();
	return 0;
}
