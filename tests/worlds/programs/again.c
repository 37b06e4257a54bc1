/* Worlds whose result depends on which message, or which client, comes first. again MODE; what was spawned has its part in the place of it.
 * Who was started prints one line: the digest of all that came, in the order in which it came. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define WORLD MPI_COMM_WORLD
#define SELF MPI_COMM_SELF
#define TIMES 6

static int rank, size;
static char *program;
static unsigned seed;

static void pause_somewhat(void) { usleep((unsigned)rand_r(&seed) % 3000); }

static unsigned mix(unsigned h, unsigned v) { return (h ^ v) * 16777619u + 40503u; }

static MPI_Comm spawn(char *part, int n, int root, MPI_Comm from)
{
	char *argv[] = {part, NULL};
	MPI_Comm made;
	MPI_Comm_spawn(program, argv, n, MPI_INFO_NULL, root, from, &made, MPI_ERRCODES_IGNORE);
	return made;
}

/* From whoever is first, of all on the other side. */
static unsigned collect(MPI_Comm inter, int n)
{
	unsigned h = 1, got;
	MPI_Status st;
	for (int i = 0; i < n; i++) {
		MPI_Recv(&got, 1, MPI_UNSIGNED, MPI_ANY_SOURCE, MPI_ANY_TAG, inter, &st);
		h = mix(mix(h, got), (unsigned)(st.MPI_SOURCE * 100 + st.MPI_TAG));
	}
	return h;
}

/* All members send to the first one, which looks which of its requests is done. */
static unsigned race(MPI_Comm all)
{
	int me, n, at;
	unsigned h = 3;
	MPI_Comm_rank(all, &me);
	MPI_Comm_size(all, &n);
	unsigned got[64];
	MPI_Request req[64];
	if (me) {
		pause_somewhat();
		MPI_Send(&seed, 0, MPI_UNSIGNED, 0, 4, all);
		return 0;
	}
	for (int i = 1; i < n; i++)
		MPI_Irecv(&got[i], 1, MPI_UNSIGNED, i, 4, all, &req[i - 1]);
	for (int i = 1; i < n; i++) {
		MPI_Waitany(n - 1, req, &at, MPI_STATUS_IGNORE);
		h = mix(h, (unsigned)at);
	}
	return h;
}

static unsigned merged(MPI_Comm inter, int high)
{
	MPI_Comm all;
	MPI_Intercomm_merge(inter, high, &all);
	unsigned h = race(all);
	MPI_Comm_free(&all);
	return h;
}

/* What the spawned do: they send to the first of their makers, and to each other, and say how that came out. */
static void work(MPI_Comm parent, unsigned h)
{
	for (unsigned i = 0; i < TIMES; i++) {
		pause_somewhat();
		MPI_Send(&i, 1, MPI_UNSIGNED, 0, (int)i, parent);
	}
	for (int i = 0; rank && i < TIMES; i++) {
		pause_somewhat();
		MPI_Send(&i, 1, MPI_INT, 0, i, WORLD);
	}
	if (!rank)
		h = mix(h, collect(WORLD, TIMES * (size - 1)));
	MPI_Send(&h, 1, MPI_UNSIGNED, 0, 50, parent);
	merged(parent, 1);
	MPI_Comm_disconnect(&parent);
}

static unsigned manage(MPI_Comm made, int root)
{
	int n;
	MPI_Comm_remote_size(made, &n);
	unsigned h = root ? collect(made, n * (TIMES + 1)) : 0;
	h = mix(h, merged(made, 0));
	MPI_Comm_disconnect(&made);
	return h;
}

static void tell(unsigned h)
{
	unsigned sum = 0;
	MPI_Reduce(&h, &sum, 1, MPI_UNSIGNED, MPI_SUM, 0, WORLD);
	if (!rank)
		printf("all that came: %08x\n", sum);
}

/* One world by all, then one by each process at the same time. */
static void farm(void)
{
	unsigned h = manage(spawn("worker", 3, size - 1, WORLD), !rank);
	tell(mix(h, manage(spawn("worker", 2 + rank, 0, SELF), 1)));
}

/* One of several commands, a process of which makes one more. */
static void nest(void)
{
	char *commands[] = {program, program}, *one[] = {"boss", NULL}, *two[] = {"boss", NULL}, **argvs[] = {one, two};
	int n[] = {1, 2};
	MPI_Info info[] = {MPI_INFO_NULL, MPI_INFO_NULL};
	MPI_Comm made;
	MPI_Comm_spawn_multiple(2, commands, argvs, n, info, 0, WORLD, &made, MPI_ERRCODES_IGNORE);
	tell(manage(made, !rank));
}

/* Who accepts takes whoever is first. */
static unsigned serve(char *port, int n)
{
	MPI_Comm inter;
	unsigned h = 5, got;
	for (int i = 0; i < n; i++) {
		MPI_Comm_accept(port, MPI_INFO_NULL, 0, SELF, &inter);
		MPI_Recv(&got, 1, MPI_UNSIGNED, 0, 0, inter, MPI_STATUS_IGNORE);
		h = mix(h, got);
		MPI_Comm_disconnect(&inter);
	}
	return h;
}

static void call(char *port, unsigned who)
{
	MPI_Comm inter;
	usleep((unsigned)rand_r(&seed) % 200000);
	MPI_Comm_connect(port, MPI_INFO_NULL, 0, SELF, &inter);
	MPI_Send(&who, 1, MPI_UNSIGNED, 0, 0, inter);
	MPI_Comm_disconnect(&inter);
}

/* The others of the world call, all at the same time. */
static void meet(void)
{
	char port[MPI_MAX_PORT_NAME] = "";
	unsigned h = 0;
	if (!rank)
		MPI_Open_port(MPI_INFO_NULL, port);
	MPI_Bcast(port, sizeof port, MPI_CHAR, 0, WORLD);
	if (!rank)
		h = serve(port, 2 * (size - 1));
	else
		for (unsigned i = 0; i < 2; i++)
			call(port, 10 * i + (unsigned)rank);
	tell(h);
}

/* ... or those that were spawned. */
static void meet_spawned(void)
{
	char port[MPI_MAX_PORT_NAME] = "";
	MPI_Comm one = spawn("caller", 2, 0, WORLD), two = spawn("caller", 1, 0, WORLD);
	unsigned h = 0;
	if (!rank) {
		MPI_Open_port(MPI_INFO_NULL, port);
		for (int i = 0; i < 2; i++)
			MPI_Send(port, sizeof port, MPI_CHAR, i, 1, one);
		MPI_Send(port, sizeof port, MPI_CHAR, 0, 1, two);
		h = serve(port, 3);
	}
	MPI_Comm_disconnect(&one);
	MPI_Comm_disconnect(&two);
	tell(h);
}

static void be_called(MPI_Comm parent)
{
	char port[MPI_MAX_PORT_NAME];
	MPI_Recv(port, sizeof port, MPI_CHAR, 0, 1, parent, MPI_STATUS_IGNORE);
	call(port, (unsigned)(100 * size + rank));
	MPI_Comm_disconnect(&parent);
}

/* A child goes at once, another one dies when it has sent. */
static void lose(void)
{
	MPI_Comm early = spawn("early", 1, 0, WORLD), dead = spawn("dead", 2, 0, WORLD);
	unsigned h = rank ? 0 : collect(dead, 4);
	MPI_Comm_disconnect(&early);
	if (!rank) {
		printf("all that came: %08x\n", h);
		fflush(stdout);
		collect(dead, 1); /* of which nobody sends */
	}
	MPI_Barrier(WORLD);
}

static void die(MPI_Comm parent)
{
	for (unsigned i = 0; i < 2; i++) {
		pause_somewhat();
		MPI_Send(&i, 1, MPI_UNSIGNED, 0, (int)i, parent);
	}
	MPI_Barrier(WORLD);
	sleep(1); /* until what they sent is there */
	if (rank)
		raise(SIGKILL);
	MPI_Recv(&rank, 1, MPI_INT, 0, 9, parent, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
	MPI_Comm parent;
	struct timespec now;
	char *mode = argc > 1 ? argv[1] : "farm";
	program = argv[0];
	clock_gettime(CLOCK_MONOTONIC, &now);
	seed = (unsigned)now.tv_nsec ^ (unsigned)getpid();
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(WORLD, &rank);
	MPI_Comm_size(WORLD, &size);
	MPI_Comm_get_parent(&parent);
	if (!strcmp(mode, "worker"))
		work(parent, 7);
	else if (!strcmp(mode, "boss")) {
		MPI_Comm made = spawn("worker", 2, size - 1, WORLD);
		work(parent, manage(made, !rank));
	} else if (!strcmp(mode, "caller"))
		be_called(parent);
	else if (!strcmp(mode, "early"))
		MPI_Comm_disconnect(&parent);
	else if (!strcmp(mode, "dead"))
		die(parent);
	else if (!strcmp(mode, "meet"))
		meet();
	else if (!strcmp(mode, "meet-spawned"))
		meet_spawned();
	else if (!strcmp(mode, "lose"))
		lose();
	else if (!strcmp(mode, "nest"))
		nest();
	else
		farm();
	MPI_Finalize();
	return 0;
}
