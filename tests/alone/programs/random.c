/* A random program of tests/order/oracle, run by MPI: random SEED. What is sent follows from all that came before, so that one wrong
 * answer shows in everything after it. Only programs are taken of which every run comes to its end. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "oracle.h"

#define VARS 16
#define ROOM 3

static struct program program;
static int rank;
static MPI_Comm comm[COMMS];
static uint64_t seen = 0x1234567;
static struct var {
	MPI_Request request;
	MPI_Message message;
	uint64_t buffer[ROOM];
	enum { SENDS, RECEIVES, COLLECTIVE } what;
} var[VARS];
static int probed = -1;

static void see(uint64_t v)
{
	seen = (seen ^ v) * 0x9e3779b97f4a7c15u;
	seen ^= seen >> 29;
}

static void see_message(const MPI_Status *st, const uint64_t *v)
{
	int n;
	MPI_Get_count(st, MPI_UINT64_T, &n);
	see((uint64_t)(st->MPI_SOURCE < 0 ? 1000 : st->MPI_SOURCE)); /* the libraries name nobody differently */
	see((uint64_t)(st->MPI_TAG < 0 ? 1000 : st->MPI_TAG));
	see((uint64_t)n);
	for (int i = 0; i < n && i < ROOM; i++)
		see(v[i]);
}

static int peer_of(int r)
{
	return r == ANY         ? MPI_ANY_SOURCE
	       : r == PROC_NULL ? MPI_PROC_NULL
	       : r == ROOT      ? MPI_ROOT
	       : r == PROBED    ? probed
				: r;
}
static int tag_of(int tag) { return tag == ANY ? MPI_ANY_TAG : tag; }

static uint64_t *fill(uint64_t *v)
{
	for (int i = 0; i < ROOM; i++)
		v[i] = seen + (uint64_t)(rank * 1000 + i);
	return v;
}

/* The request of a variable is over. */
static void over(struct var *v, const MPI_Status *st)
{
	if (v->what == RECEIVES)
		see_message(st, v->buffer);
	else if (v->what == COLLECTIVE)
		see(v->buffer[0]);
}

static void make_comm(const struct call *c)
{
	MPI_Comm made;
	int color = program.color[rank];
	if (c->kind == K_DUP_SELF)
		MPI_Comm_dup(MPI_COMM_SELF, &made);
	else if (c->kind == K_DUP)
		MPI_Comm_dup(MPI_COMM_WORLD, &comm[COMM_SECOND]);
	else if (c->kind == K_SPLIT)
		MPI_Comm_split(
			MPI_COMM_WORLD, color < 0 ? MPI_UNDEFINED : color, program.key[rank], &comm[COMM_SECOND]);
	else
		MPI_Intercomm_create(comm[COMM_SECOND], 0, MPI_COMM_WORLD, program.remote[COMM_INTER][rank][0], 7,
			&comm[COMM_INTER]);
}

static void message(const struct call *c, struct var *v, int n)
{
	uint64_t own[ROOM] = {0}, sent[ROOM];
	MPI_Status st;
	MPI_Comm in = comm[c->comm];
	int peer = peer_of(c->peer), tag = tag_of(c->tag), flag = 0;
	uint64_t *b = v ? v->buffer : NULL;
	switch (c->kind) {
	case K_SEND:
		MPI_Send(fill(own), n, MPI_UINT64_T, peer, tag, in);
		break;
	case K_SSEND:
		MPI_Ssend(fill(own), n, MPI_UINT64_T, peer, tag, in);
		break;
	case K_ISEND:
		MPI_Isend(fill(b), n, MPI_UINT64_T, peer, tag, in, &v->request);
		break;
	case K_ISSEND:
		MPI_Issend(fill(b), n, MPI_UINT64_T, peer, tag, in, &v->request);
		break;
	case K_SEND_INIT:
		MPI_Send_init(fill(b), n, MPI_UINT64_T, peer, tag, in, &v->request);
		break;
	case K_SSEND_INIT:
		MPI_Ssend_init(fill(b), n, MPI_UINT64_T, peer, tag, in, &v->request);
		break;
	case K_RECV:
		MPI_Recv(own, ROOM, MPI_UINT64_T, peer, tag, in, &st);
		see_message(&st, own);
		break;
	case K_IRECV:
		MPI_Irecv(b, ROOM, MPI_UINT64_T, peer, tag, in, &v->request);
		break;
	case K_RECV_INIT:
		MPI_Recv_init(b, ROOM, MPI_UINT64_T, peer, tag, in, &v->request);
		break;
	case K_SENDRECV:
		MPI_Sendrecv(fill(sent), n, MPI_UINT64_T, peer, tag, own, ROOM, MPI_UINT64_T, peer_of(c->source),
			tag_of(c->rtag), in, &st);
		see_message(&st, own);
		break;
	case K_PROBE:
		MPI_Probe(peer, tag, in, &st);
		break;
	case K_IPROBE:
		while (!flag)
			MPI_Iprobe(peer, tag, in, &flag, &st);
		break;
	case K_MPROBE:
		MPI_Mprobe(peer, tag, in, &v->message, &st);
		break;
	}
	if (c->kind == K_PROBE || c->kind == K_IPROBE || c->kind == K_MPROBE) {
		probed = st.MPI_SOURCE;
		see((uint64_t)(st.MPI_SOURCE * 100 + st.MPI_TAG));
	}
	if (v)
		/* of nobody: MPICH 4.0 says that it came from rank 0 */
		v->what = (c->kind == K_IRECV || c->kind == K_RECV_INIT) && peer != MPI_PROC_NULL ? RECEIVES : SENDS;
}

static void complete(const struct call *c)
{
	MPI_Request r[VARS];
	MPI_Status st[VARS];
	int n = c->nvars ? c->nvars : 1, index[VARS], done = 0, flag = 0;
	struct var *v = &var[c->var];
	bool was[VARS];
	for (int i = 0; i < n; i++) {
		r[i] = v[i].request;
		was[i] = r[i] != MPI_REQUEST_NULL;
		index[i] = i;
	}
	if (c->kind == K_WAIT)
		MPI_Wait(&r[0], &st[0]);
	while (c->kind == K_TEST && !flag)
		MPI_Test(&r[0], &flag, &st[0]);
	if (c->kind == K_WAITALL)
		MPI_Waitall(n, r, st);
	if (c->kind == K_WAITANY)
		MPI_Waitany(n, r, &index[0], &st[0]);
	if (c->kind == K_WAITSOME)
		MPI_Waitsome(n, r, &done, index, st);
	if (c->kind != K_WAITSOME)
		done = c->kind == K_WAITALL ? n : index[0] == MPI_UNDEFINED ? 0 : 1;
	for (int i = 0; i < n; i++)
		v[i].request = r[i];
	for (int i = 0; done != MPI_UNDEFINED && i < done; i++) {
		see((uint64_t)index[i]);
		if (was[index[i]])
			over(&v[index[i]], &st[i]);
	}
}

static void collective(const struct call *c, struct var *v)
{
	uint64_t in = seen, out = 0;
	int root = peer_of(c->peer);
	MPI_Comm on = comm[c->comm];
	if (v) {
		v->what = COLLECTIVE;
		v->buffer[0] = c->kind == K_IBCAST ? seen : 0;
	}
	if (c->kind == K_BARRIER)
		MPI_Barrier(on);
	else if (c->kind == K_BCAST)
		MPI_Bcast(&in, 1, MPI_UINT64_T, root, on);
	else if (c->kind == K_REDUCE)
		MPI_Reduce(&in, &out, 1, MPI_UINT64_T, MPI_SUM, root, on);
	else if (c->kind == K_ALLREDUCE)
		MPI_Allreduce(&in, &out, 1, MPI_UINT64_T, MPI_SUM, on);
	else if (c->kind == K_SCAN)
		MPI_Scan(&in, &out, 1, MPI_UINT64_T, MPI_SUM, on);
	else if (c->kind == K_EXSCAN)
		MPI_Exscan(&in, &out, 1, MPI_UINT64_T, MPI_SUM, on);
	else if (c->kind == K_IBARRIER)
		MPI_Ibarrier(on, &v->request);
	else
		MPI_Ibcast(v->buffer, 1, MPI_UINT64_T, root, on, &v->request);
	see(in);
	see(out);
}

static void step(const struct call *c, int n)
{
	MPI_Status st;
	uint64_t own[ROOM] = {0};
	struct var *v = c->var >= 0 ? &var[c->var] : NULL;
	if (c->kind >= K_DUP_SELF && c->kind <= K_INTER) {
		make_comm(c);
	} else if (c->kind == K_MRECV) {
		MPI_Mrecv(own, ROOM, MPI_UINT64_T, &v->message, &st);
		see_message(&st, own);
	} else if (c->kind == K_IMRECV) {
		MPI_Imrecv(v->buffer, ROOM, MPI_UINT64_T, &v->message, &v->request);
		v->what = RECEIVES;
	} else if (c->kind == K_START) {
		MPI_Start(&v->request);
	} else if (c->kind == K_REQUEST_FREE) {
		MPI_Request_free(&v->request);
	} else if (c->kind >= K_WAIT && c->kind <= K_TEST) {
		complete(c);
	} else if (c->kind >= K_BARRIER) {
		collective(c, v);
	} else {
		message(c, v, n);
	}
}

/* The first from this seed on that always comes to its end. */
static void choose(uint64_t seed, int size)
{
	const struct wish wish = {.procs = size, .lanes = 1, .calls = 10, .probed = true, .simple = true};
	struct outcomes o;
	for (seed *= 1000;; seed++) {
		if (!generate(&program, seed, &wish))
			continue;
		explore(&program, &(struct limits){.states = 30000}, &o);
		if (o.complete && !o.stuck)
			return;
	}
}

int main(int argc, char **argv)
{
	int size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	choose(strtoull(argv[1], NULL, 10), size);
	comm[COMM_WORLD] = MPI_COMM_WORLD;
	for (int i = 0; i < VARS; i++)
		var[i].request = MPI_REQUEST_NULL;
	const struct thread *t = &program.thread[rank];
	for (int i = 0; i < t->n; i++) {
		if (t->call[i].kind != K_INIT && t->call[i].kind != K_FINALIZE)
			step(&t->call[i], 1 + i % ROOM);
		printf("%d %s %llx\n", i, kind_name(t->call[i].kind), (unsigned long long)seen);
	}
	MPI_Finalize();
	return 0;
}
