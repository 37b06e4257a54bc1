/* Processes that fork others, which start no other program and say something, or nothing. With -DMPI the first one is of MPI.
 * usage: forks [crowd] */
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef MPI
#include <mpi.h>
#endif

#include <hbdb/event.h>

extern char **environ;
static int rank;

static void wait_for(pid_t child)
{
	if (child < 0 || waitpid(child, NULL, 0) != child)
		perror("wait");
}

/* Each takes a job, one makes a child of its own, and each ends in another way. */
static void work(int i)
{
	int key = 10 * rank + i;
	hb_received("job", key, 4);
	HB_EVENT("work", hb_integer("i", i), hb_text("kind", i ? "later" : "first"));
	if (i == 1) {
		hb_sent("job", key + 5, 4);
		pid_t child = fork();
		if (!child) {
			hb_received("job", key + 5, 4);
			hb_event("grandchild");
			_exit(0);
		}
		wait_for(child);
	}
	hb_sent("answer", key, 8);
	if (i == 2)
		raise(SIGKILL);
	if (i == 3)
		exit(0);
	if (i == 4)
		raise(SIGSEGV);
	_exit(0);
}

/* Those who say nothing. */
static void silent(void)
{
	pid_t child = fork();
	if (!child)
		_exit(0);
	wait_for(child);
	FILE *f = popen("true", "r");
	if (!f || pclose(f) || system("true"))
		perror("true");
	char *argv[] = {"true", NULL};
	if (!posix_spawnp(&child, "true", NULL, NULL, argv, environ))
		wait_for(child);
}

static int stop;

static void *talk(void *name)
{
	for (int i = 0; !__atomic_load_n(&stop, __ATOMIC_RELAXED); i++) {
		char text[32];
		snprintf(text, sizeof text, "%s %d", (const char *)name, i % 1000);
		HB_EVENT("talk", hb_text("text", text));
	}
	return NULL;
}

static void *in_child(void *arg)
{
	(void)arg;
	for (int i = 0; i < 100; i++)
		HB_EVENT("in a child", hb_integer("i", i));
	return NULL;
}

/* A thread forks while others say something; each child has two threads of its own. */
static void *forks(void *arg)
{
	(void)arg;
	for (int n = 0; n < 20; n++) {
		pid_t child = fork();
		if (!child) {
			pthread_t one, other;
			pthread_create(&one, NULL, in_child, NULL);
			pthread_create(&other, NULL, in_child, NULL);
			pthread_join(one, NULL);
			pthread_join(other, NULL);
			_exit(0);
		}
		wait_for(child);
	}
	return NULL;
}

static void crowd(void)
{
	pthread_t talker[2], forker;
	pthread_create(&talker[0], NULL, talk, "one");
	pthread_create(&talker[1], NULL, talk, "two");
	pthread_create(&forker, NULL, forks, NULL);
	pthread_join(forker, NULL);
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	pthread_join(talker[0], NULL);
	pthread_join(talker[1], NULL);
}

static void family(void)
{
	hb_event("begin");
	for (int i = 0; i < 5; i++) {
		hb_sent("job", 10 * rank + i, 4);
		pid_t child = fork();
		if (!child)
			work(i);
		wait_for(child);
		hb_received("answer", 10 * rank + i, 8);
		silent();
	}
	hb_event("end");
}

int main(int argc, char **argv)
{
#ifdef MPI
	pid_t child = fork(); /* its launcher's variables are those of the parent */
	if (!child) {
		hb_event("before MPI");
		_exit(0);
	}
	wait_for(child);
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#endif
	if (argc > 1 && !strcmp(argv[1], "crowd"))
		crowd();
	else
		family();
#ifdef MPI
	int sum;
	MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	MPI_Finalize();
#endif
	return 0;
}
