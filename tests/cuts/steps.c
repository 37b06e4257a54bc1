/* Random programs. Every process (with `threads`: every thread, each on communicators of its own) goes through the same list of
 * steps, which follows from the seed. A step is something that a few or all processes do together and that comes to an
 * end by itself, whatever the library buffers; so the whole does. How a process sends and receives in a step, and when it completes what it
 * left open in earlier ones, it chooses alone. Nobody waits for a step to be over, so processes drift apart.
 *
 * usage: steps SEED LENGTH [threads|abort|segv|hang|leave|finalize] */
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ALL, DUP, PART, WILD, COMMS, LATER = 24, THREADS = 3 };
#define ROOM (4 << 20)

typedef struct world {
	MPI_Comm comm[COMMS];
	int rank[COMMS], size[COMMS], step;
	uint64_t common, own; /* random numbers: the same in all processes, and of this one */
	MPI_Request later[LATER];
	int nlater;
	char *in, *out, *part; /* ROOM bytes each; of what is left open nobody reads the contents */
} world;

static char *ending = "";
static int keyval, threads = 1;

static int below(uint64_t *s, int n)
{
	uint64_t x = *s;
	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	*s = x;
	return (int)((x * 0x2545f4914f6cdd1du >> 20) % (uint64_t)n);
}

static int some_bytes(uint64_t *s)
{
	static const int bytes[] = {4, 4, 4, 16, 0, 1000, 1000, 9000, 70000, 70000, 300000, 1200000};
	return bytes[below(s, sizeof bytes / sizeof *bytes)];
}

/* ---- what is left open ---- */

static void complete_later(world *w)
{
	int flag = 0, which, n = w->nlater, some, index[LATER];
	MPI_Status st[LATER];
	switch (below(&w->own, 6)) {
	case 0:
		for (int i = 0; i < n; i++)
			MPI_Waitany(n, w->later, &which, st);
		break;
	case 1:
		do
			MPI_Waitsome(n, w->later, &some, index, st);
		while (some != MPI_UNDEFINED);
		break;
	case 2:
		while (!flag)
			MPI_Testall(n, w->later, &flag, st);
		break;
	case 3:
		for (int i = n; i-- > 0;)
			MPI_Wait(&w->later[i], st);
		break;
	case 4:
		for (int i = 0; i < n; i += flag)
			MPI_Testany(n, w->later, &which, &flag, st);
		break;
	default:
		MPI_Waitall(n, w->later, st);
	}
	w->nlater = 0;
}

static void leave_open(world *w, MPI_Request r)
{
	w->later[w->nlater++] = r;
	if (w->nlater == LATER)
		complete_later(w);
}

static void finish(world *w, MPI_Request *r)
{
	int flag = 0;
	if (below(&w->own, 3) == 0)
		while (!flag)
			MPI_Test(r, &flag, MPI_STATUS_IGNORE);
	else if (below(&w->own, 3) == 0)
		leave_open(w, *r);
	else
		MPI_Wait(r, MPI_STATUS_IGNORE);
}

/* ---- one message ---- */

static void send(world *w, int c, int to, int tag, int bytes)
{
	MPI_Request r;
	MPI_Comm comm = w->comm[c];
	switch (below(&w->own, 9)) {
	case 0:
		MPI_Ssend(w->out, bytes, MPI_BYTE, to, tag, comm);
		break;
	case 1:
		if (bytes <= 1000)
			MPI_Bsend(w->out, bytes, MPI_BYTE, to, tag, comm);
		else
			MPI_Send(w->out, bytes, MPI_BYTE, to, tag, comm);
		break;
	case 2:
	case 3:
		MPI_Isend(w->out, bytes, MPI_BYTE, to, tag, comm, &r);
		finish(w, &r);
		break;
	case 4:
		MPI_Issend(w->out, bytes, MPI_BYTE, to, tag, comm, &r);
		finish(w, &r);
		break;
	case 5:
		if (below(&w->own, 2))
			MPI_Send_init(w->out, bytes, MPI_BYTE, to, tag, comm, &r);
		else
			MPI_Ssend_init(w->out, bytes, MPI_BYTE, to, tag, comm, &r);
		MPI_Start(&r);
		MPI_Wait(&r, MPI_STATUS_IGNORE);
		MPI_Request_free(&r);
		break;
	default:
		MPI_Send(w->out, bytes, MPI_BYTE, to, tag, comm);
	}
}

static void receive_probed(world *w, int c, int from, int tag, int way)
{
	MPI_Status st;
	MPI_Message m;
	int flag = 0;
	MPI_Comm comm = w->comm[c];
	if (way == 0)
		MPI_Probe(from, tag, comm, &st);
	while (way == 1 && !flag)
		MPI_Iprobe(from, tag, comm, &flag, &st);
	if (way == 2)
		MPI_Mprobe(from, tag, comm, &m, &st);
	while (way == 3 && !flag)
		MPI_Improbe(from, tag, comm, &flag, &m, &st);
	if (way >= 2)
		MPI_Mrecv(w->in, ROOM, MPI_BYTE, &m, &st);
	else
		MPI_Recv(w->in, ROOM, MPI_BYTE, st.MPI_SOURCE, st.MPI_TAG, comm, &st);
}

/* from may be MPI_ANY_SOURCE. */
static void receive(world *w, int c, int from, int tag, int bytes)
{
	MPI_Request r;
	MPI_Comm comm = w->comm[c];
	int way = below(&w->own, 10);
	if (from != MPI_ANY_SOURCE && below(&w->own, 3) == 0)
		from = MPI_ANY_SOURCE;
	if (way < 4) {
		receive_probed(w, c, from, tag, way);
	} else if (way < 6) {
		MPI_Irecv(w->in, bytes, MPI_BYTE, from, tag, comm, &r);
		finish(w, &r);
	} else if (way == 6) {
		MPI_Recv_init(w->in, bytes, MPI_BYTE, from, tag, comm, &r);
		MPI_Start(&r);
		MPI_Wait(&r, MPI_STATUS_IGNORE);
		MPI_Request_free(&r);
	} else {
		MPI_Recv(w->in, bytes, MPI_BYTE, from, tag, comm, MPI_STATUS_IGNORE);
	}
}

/* ---- steps of messages ---- */

static void pair(world *w, int c, int a, int b, int bytes)
{
	int n = w->size[c], from = a % n, to = b % n;
	if (from == to) /* a message to itself needs somebody who waits for it */
		return;
	if (w->rank[c] == from)
		send(w, c, to, w->step, bytes);
	if (w->rank[c] == to)
		receive(w, c, from, w->step, bytes);
}

static void exchange(world *w, int c, int a, int b, int bytes)
{
	int n = w->size[c], rank = w->rank[c], x = a % n, y = b % n, other = rank == x ? y : x;
	if (x == y || (rank != x && rank != y))
		return;
	if (below(&w->own, 2))
		MPI_Sendrecv(w->out, bytes, MPI_BYTE, other, w->step, w->in, bytes, MPI_BYTE,
			below(&w->own, 2) ? other : MPI_ANY_SOURCE, w->step, w->comm[c], MPI_STATUS_IGNORE);
	else
		MPI_Sendrecv_replace(
			w->in, bytes, MPI_BYTE, other, w->step, other, w->step, w->comm[c], MPI_STATUS_IGNORE);
}

static void shift(world *w, int c, int a, int bytes)
{
	int n = w->size[c], by = a % n, to = (w->rank[c] + by) % n, from = (w->rank[c] + n - by) % n;
	MPI_Sendrecv(w->out, bytes, MPI_BYTE, to, w->step, w->in, bytes, MPI_BYTE, from, w->step, w->comm[c],
		MPI_STATUS_IGNORE);
}

/* Everybody to one. */
static void gather_in(world *w, int c, int a, int bytes)
{
	int n = w->size[c], root = a % n, all = below(&w->own, 2), open = 0;
	MPI_Request r[64];
	if (w->rank[c] != root) {
		send(w, c, root, w->step, bytes);
		return;
	}
	for (int i = 0; i < n - 1; i++) {
		if (!all)
			receive(w, c, MPI_ANY_SOURCE, w->step, bytes);
		else
			MPI_Irecv(w->in, bytes, MPI_BYTE, MPI_ANY_SOURCE, w->step, w->comm[c], &r[open++]);
	}
	for (int left = open, which; left > 0; left--)
		MPI_Waitany(open, r, &which, MPI_STATUS_IGNORE);
}

/* A farm: who asks gets work, until there is none. */
static void farm(world *w, int c, int a)
{
	int n = w->size[c], root = a % n, work = 0;
	MPI_Status st;
	if (w->rank[c] != root) {
		do {
			MPI_Send(&work, 1, MPI_INT, root, w->step, w->comm[c]);
			MPI_Recv(&work, 1, MPI_INT, root, w->step, w->comm[c], &st);
		} while (work);
		return;
	}
	for (int left = 2 * n, workers = n - 1, x; workers > 0; left--) {
		work = left > 0;
		workers -= !work;
		MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, w->step, w->comm[c], &st);
		MPI_Send(&work, 1, MPI_INT, st.MPI_SOURCE, w->step, w->comm[c]);
	}
}

static void halo(world *w, int c, int bytes)
{
	int n = w->size[c], left = (w->rank[c] + n - 1) % n, right = (w->rank[c] + 1) % n;
	MPI_Request r[4];
	MPI_Irecv(w->in, bytes, MPI_BYTE, left, w->step, w->comm[c], &r[0]);
	MPI_Irecv(w->in, bytes, MPI_BYTE, right, w->step + 1, w->comm[c], &r[1]);
	MPI_Isend(w->out, bytes, MPI_BYTE, right, w->step, w->comm[c], &r[2]);
	MPI_Isend(w->out, bytes, MPI_BYTE, left, w->step + 1, w->comm[c], &r[3]);
	for (int i = 0; i < 4; i++)
		finish(w, &r[i]);
}

/* Messages of any tag: an earlier step may get those of a later one, but there are enough of them at any time. */
static void wild(world *w, int a, int n)
{
	int root = a % w->size[WILD];
	MPI_Request r;
	if (w->rank[WILD] != root) {
		for (int i = 0; i < n; i++) {
			MPI_Isend(w->out, 4, MPI_BYTE, root, w->step + i, w->comm[WILD], &r);
			leave_open(w, r);
		}
		return;
	}
	for (int i = 0; i < n * (w->size[WILD] - 1); i++) {
		if (below(&w->own, 3) == 0) {
			MPI_Recv(w->in, 4, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, w->comm[WILD], MPI_STATUS_IGNORE);
			continue;
		}
		MPI_Irecv(w->in, 4, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, w->comm[WILD], &r);
		leave_open(w, r);
	}
}

static void started(world *w, int c, int a, int times)
{
	int n = w->size[c], to = a % n, from = (a + 1) % n;
	MPI_Request r;
	if (n < 2 || (w->rank[c] != to && w->rank[c] != from))
		return;
	if (w->rank[c] == to)
		MPI_Recv_init(w->in, 2000, MPI_BYTE, MPI_ANY_SOURCE, w->step, w->comm[c], &r);
	else
		MPI_Send_init(w->out, 2000, MPI_BYTE, to, w->step, w->comm[c], &r);
	for (int i = 0, flag; i < times; i++) {
		MPI_Startall(1, &r);
		if (i & 1)
			for (flag = 0; !flag;)
				MPI_Test(&r, &flag, MPI_STATUS_IGNORE);
		else
			MPI_Wait(&r, MPI_STATUS_IGNORE);
	}
	MPI_Request_free(&r);
}

/* Nobody else takes part: a receive that is cancelled, a message to itself, to nobody, questions answered with no. */
static void alone(world *w, int what)
{
	int flag, self = w->rank[ALL];
	MPI_Request r;
	if (what == 0) {
		MPI_Irecv(w->in, 4, MPI_BYTE, MPI_ANY_SOURCE, 30000, w->comm[ALL], &r);
		MPI_Cancel(&r);
		MPI_Wait(&r, MPI_STATUS_IGNORE);
	} else if (what == 1) {
		MPI_Isend(w->out, 100000, MPI_BYTE, self, w->step, w->comm[ALL], &r);
		MPI_Recv(w->in, 100000, MPI_BYTE, self, w->step, w->comm[ALL], MPI_STATUS_IGNORE);
		MPI_Wait(&r, MPI_STATUS_IGNORE);
	} else if (what == 2) {
		MPI_Send(w->out, 4, MPI_BYTE, MPI_PROC_NULL, 0, w->comm[ALL]);
		MPI_Recv(w->in, 4, MPI_BYTE, MPI_PROC_NULL, 0, w->comm[ALL], MPI_STATUS_IGNORE);
	} else {
		for (int i = 0; i < 3; i++)
			MPI_Iprobe(MPI_ANY_SOURCE, 30000, w->comm[ALL], &flag, MPI_STATUS_IGNORE);
	}
}

/* ---- steps of collectives ---- */

static void sum_up(void *in, void *inout, int *n, MPI_Datatype *type)
{
	(void)type;
	for (int i = 0; i < *n; i++)
		((int *)inout)[i] += ((int *)in)[i];
}

static void all_to_all(world *w, int c, int what, int n)
{
	MPI_Comm comm = w->comm[c];
	MPI_Request r;
	switch (what) {
	case 0:
		MPI_Barrier(comm);
		break;
	case 1:
		MPI_Allreduce(w->out, w->part, n, MPI_INT, MPI_SUM, comm);
		break;
	case 2:
		MPI_Alltoall(w->out, n, MPI_INT, w->part, n, MPI_INT, comm);
		break;
	case 3:
		MPI_Allgather(w->out, n, MPI_INT, w->part, n, MPI_INT, comm);
		break;
	case 4:
		MPI_Reduce_scatter_block(w->out, w->part, n, MPI_INT, MPI_SUM, comm);
		break;
	case 5:
		MPI_Ibarrier(comm, &r);
		finish(w, &r);
		break;
	default:
		MPI_Iallreduce(w->out, w->part, n, MPI_INT, MPI_MAX, comm, &r);
		finish(w, &r);
	}
}

static void rooted(world *w, int c, int what, int root, int n)
{
	MPI_Comm comm = w->comm[c];
	MPI_Request r;
	MPI_Op op;
	switch (what) {
	case 0:
		MPI_Bcast(w->part, n, MPI_INT, root, comm);
		break;
	case 1:
		MPI_Reduce(w->out, w->part, n, MPI_INT, MPI_SUM, root, comm);
		break;
	case 2:
		MPI_Gather(w->out, n, MPI_INT, w->part, n, MPI_INT, root, comm);
		break;
	case 3:
		MPI_Scatter(w->out, n, MPI_INT, w->part, n, MPI_INT, root, comm);
		break;
	case 4:
		MPI_Scan(w->out, w->part, n, MPI_INT, MPI_SUM, comm);
		break;
	case 5:
		MPI_Exscan(w->out, w->part, n, MPI_INT, MPI_SUM, comm);
		break;
	case 6:
		MPI_Op_create(sum_up, below(&w->common, 2), &op);
		MPI_Reduce(w->out, w->part, n, MPI_INT, op, root, comm);
		MPI_Op_free(&op);
		break;
	case 7:
		MPI_Ibcast(w->part, n, MPI_INT, root, comm, &r);
		finish(w, &r);
		break;
	default:
		MPI_Ireduce(w->out, w->part, n, MPI_INT, MPI_SUM, root, comm, &r);
		finish(w, &r);
	}
}

/* Callbacks that call MPI themselves. */
static void say_something(MPI_Comm comm)
{
	int in, out = 0, rank;
	(void)comm;
	MPI_Comm_rank(MPI_COMM_SELF, &rank);
	MPI_Sendrecv(&out, 1, MPI_INT, 0, 1, &in, 1, MPI_INT, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
}

static int copy_value(MPI_Comm comm, int key, void *extra, void *in, void *out, int *flag)
{
	(void)key, (void)extra;
	say_something(comm);
	*(void **)out = in;
	*flag = 1;
	return MPI_SUCCESS;
}

static int delete_value(MPI_Comm comm, int key, void *value, void *extra)
{
	(void)key, (void)value, (void)extra;
	say_something(comm);
	return MPI_SUCCESS;
}

static void on_error(MPI_Comm *comm, int *code, ...)
{
	(void)code;
	say_something(*comm);
}

static void make_communicator(world *w, int c, int what)
{
	MPI_Comm made;
	MPI_Errhandler handler;
	int root, x = 0;
	if (what == 0)
		MPI_Comm_dup(w->comm[c], &made);
	else
		MPI_Comm_split(w->comm[c], w->rank[c] % 2, -w->rank[c], &made);
	MPI_Comm_size(made, &root);
	MPI_Bcast(&x, 1, MPI_INT, root - 1, made);
	if (what == 2) {
		MPI_Comm_create_errhandler(on_error, &handler);
		MPI_Comm_set_errhandler(made, handler);
		MPI_Comm_call_errhandler(made, MPI_ERR_OTHER);
		MPI_Errhandler_free(&handler);
	}
	if (keyval != MPI_KEYVAL_INVALID)
		MPI_Comm_set_attr(made, keyval, &keyval);
	if (keyval != MPI_KEYVAL_INVALID && what == 0) {
		MPI_Comm second;
		MPI_Comm_dup(made, &second);
		MPI_Comm_free(&second);
	}
	MPI_Comm_free(&made);
}

/* ---- the whole ---- */

static void step(world *w)
{
	static const int counts[] = {1, 1, 1, 4, 100, 0, 5000, 20000};
	int kind = below(&w->common, 27), c = below(&w->common, WILD), a = below(&w->common, 1000),
	    b = below(&w->common, 1000), bytes = some_bytes(&w->common), n = counts[below(&w->common, 8)],
	    what = below(&w->common, 63);
	w->step += 4;
	if (w->nlater && below(&w->own, 4) == 0)
		complete_later(w);
	if (kind < 5)
		pair(w, c, a, b, bytes);
	else if (kind < 7)
		exchange(w, c, a, b, bytes);
	else if (kind == 7)
		shift(w, c, a, bytes);
	else if (kind < 10)
		gather_in(w, c, a, bytes > 100000 ? 70000 : bytes);
	else if (kind == 10)
		farm(w, c, a);
	else if (kind == 11)
		halo(w, c, bytes);
	else if (kind < 14)
		wild(w, a, 1 + b % 2);
	else if (kind == 14)
		started(w, c, a, 1 + b % 4);
	else if (kind < 17)
		alone(w, below(&w->own, 4));
	else if (kind < 19)
		all_to_all(w, c, what % 7, n / 8);
	else if (threads > 1 && (kind == 23 || what % 9 == 6))
		return; /* which thread makes an object first is not replayed: they would not be called the same */
	else if (kind < 23)
		rooted(w, c, what % 9, a % w->size[c], n);
	else if (kind == 23)
		make_communicator(w, c, what % 3);
	else
		shift(w, c, a, bytes);
}

static void open_world(world *w, MPI_Comm base, uint64_t seed, int thread)
{
	int rank;
	w->common = seed * 0x9e3779b97f4a7c15u + (uint64_t)thread * 0x2545f4914f6cdd1du + 1;
	MPI_Comm_rank(base, &rank);
	w->own = w->common ^ (uint64_t)(rank + 1) * 0xbf58476d1ce4e5b9u;
	for (int i = 0; i < 3; i++) {
		below(&w->common, 2);
		below(&w->own, 2);
	}
	w->in = calloc(3, ROOM);
	w->out = w->in + ROOM;
	w->part = w->out + ROOM;
	w->comm[ALL] = base;
	MPI_Comm_dup(base, &w->comm[DUP]);
	MPI_Comm_split(base, rank % 2, rank, &w->comm[PART]);
	MPI_Comm_dup(base, &w->comm[WILD]);
	for (int i = 0; i < COMMS; i++) {
		MPI_Comm_rank(w->comm[i], &w->rank[i]);
		MPI_Comm_size(w->comm[i], &w->size[i]);
	}
}

static void come_to_an_end(world *w)
{
	int victim = below(&w->common, w->size[ALL]), me = w->rank[ALL] == victim;
	if (!strcmp(ending, "abort") && me)
		abort();
	if (!strcmp(ending, "segv") && me)
		raise(SIGSEGV);
	if (!strcmp(ending, "leave") && me)
		_exit(3);
	if (!strcmp(ending, "abort") || !strcmp(ending, "segv") || !strcmp(ending, "leave") ||
		(!strcmp(ending, "hang") && me))
		MPI_Recv(w->in, 4, MPI_BYTE, victim, 30001, w->comm[ALL], MPI_STATUS_IGNORE);
}

static int length;

static void *run(void *of)
{
	world *w = of;
	for (int i = 0; i < length; i++)
		step(w);
	if (w->nlater)
		complete_later(w);
	return NULL;
}

int main(int argc, char **argv)
{
	static world all[THREADS];
	pthread_t thread[THREADS];
	int got = 0;
	uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
	length = argc > 2 ? atoi(argv[2]) : 20;
	ending = argc > 3 ? argv[3] : "";
	if (!strcmp(ending, "threads"))
		MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &got);
	else
		MPI_Init(&argc, &argv);
	threads = got == MPI_THREAD_MULTIPLE ? THREADS : 1;
	MPI_Buffer_attach(calloc(1, ROOM), ROOM);
	MPI_Comm_create_keyval(copy_value, delete_value, &keyval, NULL);
	for (int i = 0; i < threads; i++) {
		MPI_Comm base = MPI_COMM_WORLD;
		if (i)
			MPI_Comm_dup(MPI_COMM_WORLD, &base);
		open_world(&all[i], base, seed, i);
	}
	if (!strcmp(ending, "finalize"))
		MPI_Comm_set_attr(MPI_COMM_SELF, keyval, &keyval);
	for (int i = 1; i < threads; i++)
		pthread_create(&thread[i], NULL, run, &all[i]);
	run(&all[0]);
	for (int i = 1; i < threads; i++)
		pthread_join(thread[i], NULL);
	come_to_an_end(&all[0]);
	MPI_Finalize();
	return 0;
}
