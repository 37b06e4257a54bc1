/* Small programs whose races are known; run.py beside this file says which receives of process 0 race in each.
 * usage: marks CASE, with 3 processes */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORLD MPI_COMM_WORLD
#define ANY MPI_ANY_SOURCE
#define IGNORE MPI_STATUS_IGNORE

static int rank, v[4];

static void send(int to, int tag) { MPI_Ssend(v, 1, MPI_INT, to, tag, WORLD); }
static void plain(int to, int tag) { MPI_Send(v, 1, MPI_INT, to, tag, WORLD); }
static int get(int from, int tag)
{
	MPI_Status st;
	MPI_Recv(v, 4, MPI_INT, from, tag, WORLD, &st);
	return st.MPI_SOURCE;
}

/* The second message is not sent because of the first. */
static void two(void)
{
	if (rank)
		plain(0, 1);
	else
		get(ANY, 1), get(ANY, 1);
}

static void three(void)
{
	if (rank)
		plain(0, 1), plain(0, 1);
	else
		for (int i = 0; i < 4; i++)
			get(ANY, MPI_ANY_TAG);
}

/* 2 sends only when it has heard, by way of 1, that the first message was received. */
static void chain(void)
{
	if (rank == 1)
		plain(0, 1), get(0, 2), plain(2, 3);
	if (rank == 2)
		get(1, 3), plain(0, 1);
	if (rank == 0)
		get(ANY, 1), plain(1, 2), get(ANY, 1);
}

/* The same, but what 2 hears was said before the receive. */
static void too_early(void)
{
	if (rank == 1)
		get(0, 2), plain(2, 3), plain(0, 1);
	if (rank == 2)
		get(1, 3), plain(0, 1);
	if (rank == 0)
		plain(1, 2), get(ANY, 1), get(ANY, 1);
}

static void tags(void)
{
	if (rank)
		plain(0, rank);
	else
		get(ANY, 1), get(ANY, 2);
}

static void tag_any(void)
{
	if (rank == 1)
		plain(0, 1), plain(2, 9);
	if (rank == 2)
		get(1, 9), plain(0, 2);
	if (rank == 0) {
		MPI_Probe(2, 2, WORLD, IGNORE); /* 1's message came before it, but nobody says that it arrived before */
		get(1, MPI_ANY_TAG), get(ANY, 2);
	}
}

static void comms(void)
{
	MPI_Comm other;
	MPI_Comm_dup(WORLD, &other);
	if (rank)
		MPI_Send(v, 1, MPI_INT, 0, 1, rank == 1 ? WORLD : other);
	else
		get(ANY, 1), MPI_Recv(v, 1, MPI_INT, ANY, 1, other, IGNORE);
	MPI_Comm_free(&other);
}

static void one_sender(void)
{
	for (int i = 0; i < 3; i++) {
		if (rank == 1)
			plain(0, i);
		if (rank == 0)
			get(ANY, MPI_ANY_TAG);
	}
}

/* A message with a receive of its own is as good for an earlier wildcard. */
static void named(void)
{
	if (rank == 1)
		plain(0, 1);
	if (rank == 2)
		get(0, 2), plain(0, 1);
	if (rank == 0) {
		MPI_Request r;
		plain(2, 2);
		MPI_Irecv(v, 1, MPI_INT, 2, 1, WORLD, &r); /* posted first: this message is its own */
		get(ANY, 1);
		MPI_Wait(&r, IGNORE);
		get(2, 3); /* posted later: */
	}
	if (rank == 2)
		plain(0, 3);
}

static void named_later(void)
{
	if (rank == 1)
		plain(0, 1);
	if (rank == 2)
		get(1, 9), plain(0, 1);
	if (rank == 1)
		plain(2, 9);
	if (rank == 0)
		get(3 - get(ANY, 1), 1);
}

/* Two are posted; which message goes to which is open. */
static void posted(void)
{
	MPI_Request r[2];
	if (rank)
		plain(0, 1);
	if (rank)
		return;
	MPI_Irecv(v, 1, MPI_INT, ANY, 1, WORLD, &r[0]);
	MPI_Irecv(v + 1, 1, MPI_INT, ANY, 1, WORLD, &r[1]);
	MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
}

/* Posted first and completed last. */
static void pending(void)
{
	MPI_Request r;
	if (rank == 0) {
		MPI_Irecv(v, 1, MPI_INT, ANY, 1, WORLD, &r);
		plain(1, 2);
		get(2, 1);
		MPI_Wait(&r, IGNORE);
	}
	if (rank == 1) {
		get(0, 2);
		send(0, 1); /* returns when it is matched */
		plain(2, 3);
	}
	if (rank == 2)
		get(1, 3), plain(0, 1);
}

/* Both messages came from one process: they keep their order. */
static void pending_same(void)
{
	MPI_Request r;
	if (rank == 0) {
		MPI_Irecv(v, 1, MPI_INT, ANY, 1, WORLD, &r);
		get(1, 1);
		MPI_Wait(&r, IGNORE);
	}
	if (rank == 1)
		plain(0, 1), plain(0, 1);
}

static void matched(void)
{
	MPI_Message m;
	if (rank == 1)
		plain(0, 1), get(0, 5), plain(2, 9);
	if (rank == 2)
		plain(0, 1), get(1, 9);
	if (rank == 0) {
		int first = get(ANY, 1);
		MPI_Mprobe(3 - first, 1, WORLD, &m, IGNORE);
		MPI_Mrecv(v, 1, MPI_INT, &m, IGNORE);
		plain(1, 5);
	}
}

static void never(void)
{
	if (rank == 1)
		plain(0, 1);
	if (rank == 2)
		plain(0, 1);
	if (rank == 0)
		get(ANY, 1);
}

static void freed(void)
{
	MPI_Request r;
	if (rank == 0) {
		get(ANY, 1);
		MPI_Irecv(v, 1, MPI_INT, 2, MPI_ANY_TAG, WORLD, &r);
		MPI_Request_free(&r);
		plain(2, 2), get(2, 3);
	}
	if (rank == 1)
		plain(0, 1);
	if (rank == 2)
		get(0, 2), plain(0, 9), plain(0, 3);
}

/* The half that is sent does not tell that the other was received. */
static void at_once(void)
{
	if (rank == 0) {
		MPI_Sendrecv(v, 1, MPI_INT, 2, 2, v + 1, 1, MPI_INT, ANY, 1, WORLD, IGNORE);
		get(ANY, 1);
	}
	if (rank == 1)
		plain(0, 1);
	if (rank == 2)
		get(0, 2), plain(0, 1);
}

static void started(void)
{
	MPI_Request r;
	if (rank == 1)
		plain(0, 1), get(0, 4), plain(0, 1);
	if (rank == 2)
		get(0, 4), plain(0, 1);
	if (rank)
		return;
	MPI_Recv_init(v, 1, MPI_INT, ANY, 1, WORLD, &r);
	MPI_Start(&r);
	MPI_Wait(&r, IGNORE); /* only 1 can */
	plain(1, 4), plain(2, 4);
	MPI_Start(&r);
	MPI_Wait(&r, IGNORE);
	MPI_Start(&r);
	MPI_Wait(&r, IGNORE);
	MPI_Request_free(&r);
}

/* Rounds of a farm: what comes next was asked for after the receive. */
static void farm(void)
{
	for (int i = 0; i < 10; i++) {
		if (rank == 0)
			plain(1 + i % 2, 4), get(ANY, 1);
		else if (rank == 1 + i % 2)
			get(0, 4), plain(0, 1);
	}
}

/* More receives than the list holds, no two alike. */
static void many(void)
{
	for (int i = 0; i < 5000; i++) {
		if (rank == 1)
			plain(0, 1 + i % 2);
		if (rank == 0)
			get(ANY, 1 + i % 2);
	}
}

/* As many, which take no room. */
static void stream(void)
{
	for (int i = 0; i < 5000; i++) {
		if (rank == 1)
			plain(0, 1);
		if (rank == 0)
			get(ANY, 1);
	}
}

/* What 2 sends at last, it could have sent after the fifth: a broadcast tells nothing of who was there. */
static void tail(void)
{
	for (int i = 1; i <= 10; i++) {
		if (rank == 1)
			plain(0, 1), i == 5 ? 0 : get(0, 2);
		if (rank == 0)
			get(ANY, 1), plain(i == 5 ? 2 : 1, 2);
	}
	if (rank == 2)
		get(0, 2);
	MPI_Bcast(v, 1, MPI_INT, 0, WORLD);
	if (rank == 2)
		plain(0, 1);
	if (rank == 0)
		get(ANY, 1);
}

/* What every process has begun before any can end it. */
static void barrier(void)
{
	int sum;
	for (int i = 0; i < 4; i++) {
		if (rank == 1 + i % 2)
			plain(0, 1);
		if (rank == 0)
			get(ANY, 1);
		if (i % 2)
			MPI_Barrier(WORLD);
		else
			MPI_Allreduce(&i, &sum, 1, MPI_INT, MPI_SUM, WORLD);
	}
}

/* Sent before it. */
static void before_barrier(void)
{
	if (rank)
		plain(0, 1);
	if (rank == 0)
		get(ANY, 1);
	MPI_Barrier(WORLD);
	if (rank == 0)
		get(ANY, 1);
}

/* It moves nothing, so it waits for nobody. */
static void empty_sum(void)
{
	int a = 0, b = 0;
	if (rank == 1)
		plain(0, 1);
	if (rank == 0)
		get(ANY, 1);
	MPI_Allreduce(&a, &b, 0, MPI_INT, MPI_SUM, WORLD);
	if (rank == 2)
		plain(0, 1);
	if (rank == 0)
		get(ANY, 1);
}

/* 2 is not in it. */
static void barrier_of_some(void)
{
	MPI_Comm some;
	MPI_Comm_split(WORLD, rank == 2, 0, &some);
	if (rank == 1)
		plain(0, 1);
	if (rank == 0)
		get(ANY, 1);
	MPI_Barrier(some);
	if (rank == 2)
		plain(0, 1);
	if (rank == 0)
		get(ANY, 1);
	MPI_Comm_free(&some);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} cases[] = {{"two", two}, {"three", three}, {"chain", chain}, {"too_early", too_early}, {"tags", tags},
		{"tag_any", tag_any}, {"comms", comms}, {"one_sender", one_sender}, {"named", named},
		{"named_later", named_later}, {"posted", posted}, {"pending", pending}, {"pending_same", pending_same},
		{"matched", matched}, {"never", never}, {"freed", freed}, {"at_once", at_once}, {"started", started},
		{"farm", farm}, {"many", many}, {"stream", stream}, {"tail", tail}, {"barrier", barrier},
		{"before_barrier", before_barrier}, {"empty_sum", empty_sum}, {"barrier_of_some", barrier_of_some}};
	int done = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(WORLD, &rank);
	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
		if (argc > 1 && !strcmp(argv[1], cases[i].name))
			cases[i].run(), done = 1;
	MPI_Finalize();
	return !done;
}
