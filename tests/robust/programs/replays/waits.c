/* waits MODE [N]: what keeps every process inside MPI without a step.
 *   operation SECONDS  a reduction by a function of the program that takes so long
 *   heads BYTES        both ranks send first: only a buffer lets it through
 *   handler TAG        a handler of SIGTERM makes a call and leaves; rank 1 sends with the tag
 *   slow N             between two barriers rank 0 receives N messages that rank 1 sends after 0.2 s each
 *   stand              everybody sleeps outside of MPI
 *   thread          the first thread of rank 0 ends, another one makes calls, then rank 1 dies of SIGSEGV
 *   crash [EARLY]      rank 0 dies of SIGSEGV when rank 1 has left a barrier and waits; EARLY: both, after it */
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double seconds;
static int rank;

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void slow(void *in, void *io, int *n, MPI_Datatype *type)
{
	(void)type;
	for (int i = 0; i < *n; i++)
		((int *)io)[i] += ((int *)in)[i];
	for (double end = now() + seconds; now() < end;)
		;
}

static void late(int n)
{
	MPI_Barrier(MPI_COMM_WORLD);
	for (int i = 0, got; i < n; i++)
		if (rank) {
			nanosleep(&(struct timespec){0, 200000000}, NULL);
			MPI_Send(&i, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
		} else {
			MPI_Recv(&got, 1, MPI_INT, i % 2 ? 1 : MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		}
	MPI_Barrier(MPI_COMM_WORLD);
}

static void operation(void)
{
	int in = 1, out = 0;
	MPI_Op op;
	MPI_Op_create(slow, 1, &op);
	MPI_Allreduce(&in, &out, 1, MPI_INT, op, MPI_COMM_WORLD);
	MPI_Op_free(&op);
	if (!rank)
		printf("sum %d\n", out);
}

static void heads(int n)
{
	char *out = calloc((size_t)n, 1), *in = calloc((size_t)n, 1);
	MPI_Send(out, n, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD);
	MPI_Recv(in, n, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	free(out);
	free(in);
}

static void on_end(int signal)
{
	int flag;
	(void)signal;
	MPI_Initialized(&flag);
	MPI_Comm_size(MPI_COMM_WORLD, &flag);
	MPI_Send(&flag, 1, MPI_INT, MPI_PROC_NULL, 9, MPI_COMM_WORLD);
	_exit(3);
}

static void handler(int tag)
{
	int x = 0;
	signal(SIGTERM, on_end);
	if (rank == 1) {
		MPI_Send(&x, 1, MPI_INT, 0, tag, MPI_COMM_WORLD);
		MPI_Recv(&x, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	} else if (rank == 0) {
		MPI_Recv(&x, 1, MPI_INT, 1, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Send(&x, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
	}
}

static void crash(int early, int who)
{
	volatile int *nowhere = NULL;
	int met = 0;
	MPI_Barrier(MPI_COMM_WORLD); /* nobody is still in MPI_Init when the launcher ends him */
	if (!early) {
		if (rank != who)
			MPI_Send(&met, 1, MPI_INT, who, 1, MPI_COMM_WORLD);
		MPI_Recv(&met, 1, MPI_INT, !rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	*nowhere = 1;
}

static void *go_on(void *first)
{
	pthread_join(*(pthread_t *)first, NULL);
	crash(0, 1);
	return NULL;
}

static void end_first_thread(void)
{
	static pthread_t first, other;
	first = pthread_self();
	if (rank == 1)
		crash(0, 1);
	pthread_create(&other, NULL, go_on, &first);
	pthread_exit(NULL);
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	int level;
	seconds = argc > 2 ? atof(argv[2]) : 0;
	MPI_Init_thread(&argc, &argv, strcmp(mode, "thread") ? MPI_THREAD_SINGLE : MPI_THREAD_MULTIPLE, &level);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (!strcmp(mode, "operation"))
		operation();
	else if (!strcmp(mode, "heads"))
		heads((int)seconds);
	else if (!strcmp(mode, "handler"))
		handler((int)seconds);
	else if (!strcmp(mode, "slow"))
		late((int)seconds);
	else if (!strcmp(mode, "stand"))
		for (;;)
			pause();
	else if (!strcmp(mode, "thread"))
		end_first_thread();
	else if (!strcmp(mode, "crash"))
		crash(seconds > 0, 0);
	MPI_Finalize();
	return 0;
}
