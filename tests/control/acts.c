/* A program for the tests of the control protocol: what it does is its first argument.
 *
 * rounds: 20 rounds of messages in a ring.   poll: rank 0 tests a request until it is done.
 * big: rank 1 sends 8 MB without waiting, then nothing; rank 0 receives it.   threads: two threads that send.
 * segv, abrt, fpe, overflow, kill, exit, abort: the ways in which rank 1 ends after round 5.   fork: rank 1 has a child. */
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int rank, size;

static void ring(void)
{
	int in, next = (rank + 1) % size, before = (rank + size - 1) % size;
	MPI_Sendrecv(&rank, 1, MPI_INT, next, 1, &in, 1, MPI_INT, before, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

__attribute__((noinline)) static int deeper(volatile char *p)
{
	volatile char room[4096];
	memset((void *)room, *p, sizeof room);
	return deeper(room) + room[17];
}

static void end(const char *how)
{
	volatile int zero = 0, *nowhere = NULL;
	if (!strcmp(how, "segv"))
		*nowhere = 1;
	if (!strcmp(how, "abrt"))
		abort();
	if (!strcmp(how, "fpe"))
		printf("%d\n", size / zero);
	if (!strcmp(how, "overflow"))
		printf("%d\n", deeper(""));
	if (!strcmp(how, "kill"))
		raise(SIGKILL);
	if (!strcmp(how, "exit"))
		exit(3);
	if (!strcmp(how, "abort"))
		MPI_Abort(MPI_COMM_WORLD, 5);
	if (!strcmp(how, "fork")) {
		pid_t child = fork();
		if (!child)
			_exit(0);
		waitpid(child, NULL, 0);
	}
}

static void big(void)
{
	size_t n = 8u << 20;
	char *data = malloc(n);
	MPI_Request r = MPI_REQUEST_NULL;
	memset(data, rank, n);
	if (rank == 1)
		MPI_Isend(data, (int)n, MPI_CHAR, 0, 2, MPI_COMM_WORLD, &r);
	if (rank == 0)
		MPI_Recv(data, (int)n, MPI_CHAR, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	free(data);
}

static void poll_for_it(void)
{
	int in = 0, flag = 0;
	MPI_Request r;
	if (rank == 1)
		MPI_Recv(&in, 1, MPI_INT, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (rank == 1)
		MPI_Send(&in, 1, MPI_INT, 0, 3, MPI_COMM_WORLD);
	if (rank)
		return;
	MPI_Irecv(&in, 1, MPI_INT, 1, 3, MPI_COMM_WORLD, &r);
	for (int i = 0; i < 1000; i++)
		MPI_Test(&r, &flag, MPI_STATUS_IGNORE);
	MPI_Send(&in, 1, MPI_INT, 1, 4, MPI_COMM_WORLD);
	while (!flag)
		MPI_Test(&r, &flag, MPI_STATUS_IGNORE);
}

static void *sends(void *p)
{
	int tag = 10 + *(int *)p, in;
	for (int i = 0; i < 10; i++)
		if (rank)
			MPI_Send(&i, 1, MPI_INT, 0, tag, MPI_COMM_WORLD);
		else
			MPI_Recv(&in, 1, MPI_INT, 1, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	return NULL;
}

static void threads(void)
{
	pthread_t t[2];
	int number[2] = {0, 1};
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, sends, &number[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "rounds";
	int level;
	MPI_Init_thread(&argc, &argv, strcmp(how, "threads") ? MPI_THREAD_SINGLE : MPI_THREAD_MULTIPLE, &level);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (!strcmp(how, "big"))
		big();
	else if (!strcmp(how, "poll"))
		poll_for_it();
	else if (!strcmp(how, "threads"))
		threads();
	else
		for (int i = 0; i < 20; i++) {
			if (i == 5 && rank == 1)
				end(how);
			ring();
		}
	MPI_Finalize();
	return 0;
}
