/* Threads at MPI_THREAD_MULTIPLE whose messages share a channel: which of them posts first decides who gets what. Each part prints it.
 * posts PART...: sends nonblocking modes receives wildcards exchange replace persistent probes mprobes all; HASTE=N in the environment: what
 * lies between the calls takes another time. */
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define THREADS 3
#define TIMES 30
#define ALL (THREADS * TIMES)

static int rank, haste;
static __thread int me, got[ALL], ngot;
static __thread uint64_t state;
static int seen[THREADS][ALL], nseen[THREADS];

/* Something of no fixed length, so that no two runs are alike. */
static void work(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	state = state * 6364136223846793005u + (uint64_t)t.tv_nsec + (uint64_t)haste * 7919 + 1;
	unsigned how = (unsigned)(state >> 33) % 8;
	if (how == 0)
		usleep((unsigned)(state >> 40) % 300);
	else if (how < 4)
		sched_yield();
	for (volatile unsigned n = (unsigned)(state >> 35) % 3000; n > 0; n--)
		;
}

static int payload(int i) { return me * 1000 + i; }
static void took(int v) { got[ngot++] = v; }

static void receive_all(int tag, int n)
{
	for (int i = 0; i < n; i++) {
		int v;
		MPI_Recv(&v, 1, MPI_INT, 1, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		took(v);
	}
}

/* ---- threads of rank 1 send on one channel, and the first one of rank 0 receives ---- */

static void sends(void)
{
	for (int i = 0; i < TIMES; i++) {
		int v = payload(i);
		work();
		MPI_Send(&v, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
	}
}

static void nonblocking(void)
{
	int v[TIMES];
	MPI_Request r[TIMES];
	for (int i = 0; i < TIMES; i++) {
		v[i] = payload(i);
		work();
		MPI_Isend(&v[i], 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &r[i]);
	}
	MPI_Waitall(TIMES, r, MPI_STATUSES_IGNORE);
}

/* Long ones, too: these wait for their receives. */
static void modes(void)
{
	enum { LONG = 30000 };
	int *v = calloc(LONG, sizeof *v);
	for (int i = 0; i < TIMES; i++) {
		v[0] = payload(i);
		work();
		if (i % 3 == 0)
			MPI_Ssend(v, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
		else
			MPI_Send(v, i % 3 == 1 ? LONG : 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
	}
	free(v);
}

static void receive_long(void)
{
	int *v = calloc(30000, sizeof *v);
	for (int i = 0; i < ALL; i++) {
		MPI_Recv(v, 30000, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		took(v[0]);
	}
	free(v);
}

static void persistent(void)
{
	int v = 0;
	MPI_Request r;
	MPI_Send_init(&v, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &r);
	for (int i = 0; i < TIMES; i++) {
		v = payload(i);
		work();
		if (i % 2)
			MPI_Start(&r);
		else
			MPI_Startall(1, &r);
		MPI_Wait(&r, MPI_STATUS_IGNORE);
	}
	MPI_Request_free(&r);
}

/* ---- the first thread of rank 1 sends, and those of rank 0 receive on one channel ---- */

static void send_all(void)
{
	for (int i = 0; i < ALL; i++) {
		work();
		MPI_Send(&i, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
	}
}

static void receives(void)
{
	for (int i = 0; i < TIMES; i++) {
		work();
		receive_all(1, 1);
	}
}

/* Two at a time; with a wildcard, or without. */
static void wildcards(void)
{
	for (int i = 0; i < TIMES; i += 2) {
		int v[2];
		MPI_Request r[2];
		for (int k = 0; k < 2; k++) {
			work();
			MPI_Irecv(&v[k], 1, MPI_INT, (i + me + k) % 3 ? 1 : MPI_ANY_SOURCE,
				(i + me) % 2 ? 1 : MPI_ANY_TAG, MPI_COMM_WORLD, &r[k]);
		}
		MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
		took(v[0]);
		took(v[1]);
	}
}

static void persistent_receives(void)
{
	int v;
	MPI_Request r;
	MPI_Recv_init(&v, 1, MPI_INT, me ? 1 : MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &r);
	for (int i = 0; i < TIMES; i++) {
		work();
		MPI_Start(&r);
		MPI_Wait(&r, MPI_STATUS_IGNORE);
		took(v);
	}
	MPI_Request_free(&r);
}

static void mprobes(void)
{
	for (int i = 0; i < TIMES; i++) {
		int v, flag = 0;
		MPI_Message m;
		work();
		if ((i + me) % 2)
			MPI_Mprobe(1, 1, MPI_COMM_WORLD, &m, MPI_STATUS_IGNORE);
		else
			while (!flag)
				MPI_Improbe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &flag, &m, MPI_STATUS_IGNORE);
		MPI_Mrecv(&v, 1, MPI_INT, &m, MPI_STATUS_IGNORE);
		took(v);
	}
}

/* Messages differ in length. The first thread looks at what is there while the others take it; some are left for it. */
static void send_lengths(void)
{
	int v[64] = {0};
	for (int i = 0; i < ALL; i++) {
		work();
		MPI_Send(v, 1 + i % 50, MPI_INT, 0, 1, MPI_COMM_WORLD);
	}
}

static void probes(void)
{
	int v[64], n, flag;
	MPI_Status st;
	for (int i = 0; i < TIMES; i++) {
		work();
		if (me) {
			MPI_Recv(v, 64, MPI_INT, 1, 1, MPI_COMM_WORLD, &st);
		} else if (i % 2) {
			MPI_Probe(1, 1, MPI_COMM_WORLD, &st);
		} else {
			for (flag = 0; !flag;)
				MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &flag, &st);
		}
		MPI_Get_count(&st, MPI_INT, &n);
		took(n);
	}
	for (int i = 0; i < TIMES && !me; i++)
		MPI_Recv(v, 64, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* ---- threads of both exchange ---- */

static void exchange(void)
{
	for (int i = 0; i < TIMES; i++) {
		int v = payload(i), w;
		work();
		MPI_Sendrecv(&v, 1, MPI_INT, !rank, 1, &w, 1, MPI_INT, i % 3 ? !rank : MPI_ANY_SOURCE, 1,
			MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		took(w);
	}
}

static void replace(void)
{
	for (int i = 0; i < TIMES; i++) {
		int v = payload(i);
		work();
		MPI_Sendrecv_replace(&v, 1, MPI_INT, !rank, 1, !rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		took(v);
	}
}

static void receive_short(void) { receive_all(1, ALL); }

/* By rank: what all threads do, or the first one alone. */
static const struct {
	const char *name;
	struct {
		void (*all)(void), (*first)(void);
	} by[2];
} parts[] = {{"sends", {{NULL, receive_short}, {sends, NULL}}},
	{"nonblocking", {{NULL, receive_short}, {nonblocking, NULL}}}, {"modes", {{NULL, receive_long}, {modes, NULL}}},
	{"persistent", {{NULL, receive_short}, {persistent, NULL}}}, {"receives", {{receives, NULL}, {NULL, send_all}}},
	{"wildcards", {{wildcards, NULL}, {NULL, send_all}}},
	{"started", {{persistent_receives, NULL}, {NULL, send_all}}}, {"mprobes", {{mprobes, NULL}, {NULL, send_all}}},
	{"probes", {{probes, NULL}, {NULL, send_lengths}}}, {"exchange", {{exchange, NULL}, {exchange, NULL}}},
	{"replace", {{replace, NULL}, {replace, NULL}}}};

struct begun {
	int me;
	void (*all)(void), (*first)(void);
};

static void *thread(void *p)
{
	const struct begun *b = p;
	me = b->me;
	if (b->all)
		b->all();
	else if (!me)
		b->first();
	memcpy(seen[me], got, sizeof got);
	nseen[me] = ngot;
	return NULL;
}

static uint64_t digest(void)
{
	uint64_t hash = 1469598103934665603u;
	for (int t = 0; t < THREADS; t++)
		for (int i = 0; i < nseen[t]; i++)
			hash = (hash ^ (uint64_t)seen[t][i]) * 0x100000001b3u;
	return hash;
}

int main(int argc, char **argv)
{
	int level;
	haste = getenv("HASTE") ? atoi(getenv("HASTE")) : 0;
	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (level != MPI_THREAD_MULTIPLE)
		MPI_Abort(MPI_COMM_WORLD, 1);
	for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++) {
		int wanted = 0;
		for (int k = 1; k < argc; k++)
			wanted |= !strcmp(argv[k], parts[i].name) || !strcmp(argv[k], "all");
		if (!wanted)
			continue;
		pthread_t threads[THREADS];
		struct begun begun[THREADS];
		for (int t = 0; t < THREADS; t++) {
			begun[t] = (struct begun){t, parts[i].by[rank].all, parts[i].by[rank].first};
			pthread_create(&threads[t], NULL, thread, &begun[t]);
		}
		for (int t = 0; t < THREADS; t++)
			pthread_join(threads[t], NULL);
		uint64_t mine = digest(), all[2];
		MPI_Gather(&mine, 1, MPI_UINT64_T, all, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
		if (!rank)
			printf("%s %016llx %016llx\n", parts[i].name, (unsigned long long)all[0],
				(unsigned long long)all[1]);
	}
	MPI_Finalize();
	return 0;
}
