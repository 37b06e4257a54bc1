/* Random programs. Messages are wished for first, then received somewhere later, so that
 * most programs come to an end, whatever the wildcards do to them. */
#include <string.h>

#include "oracle.h"

#define VARS 4
enum { FREE, ACTIVE, SENDS, INACTIVE }; /* of a variable; INACTIVE: persistent, made and not started */

struct pending { /* a message that was sent and has no receive yet */
	int from, thread, comm, tag;
};

struct build {
	struct program *p;
	const struct wish *wish;
	uint64_t random;
	int any, any_tag, tags, sync, hub, second; /* percentages; second: what COMM_SECOND is made by */
	int room[MAX_THREADS];
	uint8_t var[MAX_THREADS][VARS];
	bool persistent[MAX_THREADS][VARS];
	struct pending pending[64];
	int npending;
};

static struct call *add(struct build *b, int thread, int kind)
{
	struct thread *t = &b->p->thread[thread];
	struct call *c = &t->call[t->n];
	if (t->n < MAX_CALLS - 1)
		t->n++;
	*c = (struct call){.kind = (uint8_t)kind, .var = -1};
	b->room[thread]--;
	return c;
}

static struct call *add_message(struct build *b, int thread, int kind, int comm, int peer, int tag)
{
	struct call *c = add(b, thread, kind);
	c->comm = (uint8_t)comm;
	c->peer = (int8_t)peer;
	c->tag = (int8_t)tag;
	return c;
}

static int free_var(struct build *b, int thread)
{
	for (int v = 0; v < VARS; v++)
		if (b->var[thread][v] == FREE && !b->persistent[thread][v])
			return v;
	return -1;
}

static int proc_of(const struct build *b, int thread) { return b->p->thread[thread].proc; }

/* ---- completions ---- */

static void completed(struct build *b, int thread, int v)
{
	b->var[thread][v] = b->persistent[thread][v] ? INACTIVE : FREE;
}

static void complete(struct build *b, int thread)
{
	int first = below(&b->random, VARS), kind = below(&b->random, 6);
	if (b->var[thread][first] != ACTIVE && b->var[thread][first] != SENDS)
		return;
	struct call *c = add(b, thread,
		kind == 0   ? K_WAIT
		: kind == 1 ? K_TEST
		: kind == 2 ? K_WAITSOME
		: kind <= 4 ? K_WAITANY
			    : K_WAITALL);
	c->var = (int8_t)first;
	c->nvars = 1;
	if (c->kind != K_WAIT && c->kind != K_TEST) {
		c->var = (int8_t)below(&b->random, first + 1);
		c->nvars = (uint8_t)(first - c->var + 1 + below(&b->random, VARS - first));
	}
	if (c->kind == K_WAITANY && chance(&b->random, 50) && b->room[thread] > 0)
		*add(b, thread, K_WAITANY) = *c;
	if (c->kind == K_WAITANY || c->kind == K_WAITSOME)
		return; /* the rest is still under way, who knows which */
	for (int v = c->var; v < c->var + c->nvars; v++)
		if (b->var[thread][v] != FREE)
			completed(b, thread, v);
}

static void finish_requests(struct build *b, int thread)
{
	int active = 0;
	for (int v = 0; v < VARS; v++)
		active += b->var[thread][v] == ACTIVE || b->var[thread][v] == SENDS;
	for (int k = 0; k < active && b->wish->window; k++) {
		struct call *c = add(b, thread, K_WAITANY);
		c->nvars = VARS;
		c->var = 0;
	}
	if (active && (b->wish->simple || chance(&b->random, 93))) {
		struct call *c = add(b, thread, K_WAITALL);
		c->var = 0;
		c->nvars = VARS;
		for (int v = 0; v < VARS; v++)
			if (b->var[thread][v] != FREE)
				completed(b, thread, v);
	}
	for (int v = 0; v < VARS; v++)
		if (b->persistent[thread][v] && b->var[thread][v] == INACTIVE && chance(&b->random, 80)) {
			struct call *c = add(b, thread, K_REQUEST_FREE);
			c->var = (int8_t)v;
			c->nvars = 1;
		}
}

/* ---- messages ---- */

static void receive_as(struct build *b, int thread, int how, int comm, int source, int tag)
{
	static const struct {
		int percent, first, second;
	} ways[] = {{34, K_RECV, 0}, {34, K_IRECV, 0}, {8, K_PROBE, K_RECV}, {4, K_IPROBE, K_RECV},
		{6, K_MPROBE, K_MRECV}, {4, K_MPROBE, K_IMRECV}, {10, K_RECV_INIT, K_START}};
	int way = 0, v = free_var(b, thread);
	for (; how >= ways[way].percent; way++)
		how -= ways[way].percent;
	if (v < 0 && way != 2 && way != 3)
		way = 0;
	if (way == 6)
		for (int u = 0; u < VARS; u++) /* one that was made before, perhaps */
			if (b->var[thread][u] == INACTIVE) {
				struct call *c = add(b, thread, K_START);
				c->var = (int8_t)u;
				b->var[thread][u] = ACTIVE;
				return;
			}
	struct call *c = add_message(b, thread, ways[way].first, comm, source, tag);
	if (ways[way].first >= K_IRECV && ways[way].first != K_PROBE && ways[way].first != K_IPROBE)
		c->var = (int8_t)v;
	if (way == 1)
		b->var[thread][v] = ACTIVE;
	if (!ways[way].second)
		return;
	if (ways[way].second == K_RECV && b->wish->probed && chance(&b->random, 60))
		c = add_message(b, thread, K_RECV, comm, PROBED, tag);
	else if (ways[way].second == K_RECV && b->wish->simple)
		c = add_message(b, thread, K_RECV, comm, source, tag);
	else if (ways[way].second == K_RECV)
		c = add_message(b, thread, K_RECV, comm, source, chance(&b->random, 90) ? tag : ANY);
	else
		c = add(b, thread, ways[way].second);
	if (ways[way].second != K_RECV)
		c->var = (int8_t)v;
	if (ways[way].second == K_IMRECV || ways[way].second == K_START)
		b->var[thread][v] = ACTIVE;
	b->persistent[thread][v < 0 ? 0 : v] |= way == 6;
}

static void receive(struct build *b, int which)
{
	struct pending m = b->pending[which];
	b->pending[which] = b->pending[--b->npending];
	int source = chance(&b->random, b->any) ? ANY : rank_in(b->p, m.comm, proc_of(b, m.thread), m.from);
	int tag = chance(&b->random, b->any_tag) ? ANY : m.tag;
	int how = b->wish->window && free_var(b, m.thread) >= 0 ? 40 : below(&b->random, 100);
	receive_as(b, m.thread, how, m.comm, source, tag);
}

static int any_comm(struct build *b, int thread)
{
	int proc = proc_of(b, thread);
	if (b->wish->own_comms)
		return b->p->thread[thread].lane ? COMM_SECOND : COMM_WORLD;
	int comm = chance(&b->random, 60) ? COMM_WORLD : below(&b->random, COMMS);
	return b->p->number[comm][proc] >= 0 ? comm : COMM_WORLD;
}

static int any_peer(struct build *b, int comm, int proc)
{
	int n = comm == COMM_INTER ? b->p->remote_size[comm][proc] : b->p->size[comm][proc];
	int hub = rank_in(b->p, comm, proc, b->hub);
	return hub >= 0 && chance(&b->random, 50) ? hub : below(&b->random, n);
}

static void send(struct build *b, int thread)
{
	int comm = any_comm(b, thread), proc = proc_of(b, thread), peer = any_peer(b, comm, proc);
	int dest = comm == COMM_INTER ? b->p->remote[comm][proc][peer] : b->p->member[comm][proc][peer];
	int lane = b->wish->own_comms ? b->p->thread[thread].lane : below(&b->random, b->p->lanes);
	int tag = below(&b->random, b->tags), to = dest * b->p->lanes + lane, v = free_var(b, thread);
	if (b->room[to] < 2 || b->npending == 64 || (dest == proc && b->p->lanes > 1))
		return;
	bool sync = dest != proc && chance(&b->random, b->sync);
	static const int kinds[2][3] = {{K_SEND, K_ISEND, K_SEND_INIT}, {K_SSEND, K_ISSEND, K_SSEND_INIT}};
	int how = v < 0 || chance(&b->random, 60) ? 0 : chance(&b->random, 75) ? 1 : 2;
	struct call *c = add_message(b, thread, kinds[sync][how], comm, peer, tag);
	if (how) {
		c->var = (int8_t)v;
		b->var[thread][v] = SENDS;
	}
	if (how == 2) {
		b->persistent[thread][v] = true;
		add(b, thread, K_START)->var = (int8_t)v;
	}
	b->pending[b->npending++] = (struct pending){proc, to, comm, tag};
	if (kinds[sync][how] == K_SSEND) /* or most programs would end here */
		for (int i = b->npending - 1; i >= 0; i--)
			if (b->pending[i].thread == to)
				receive(b, i);
}

static void exchange(struct build *b)
{
	int comm = b->wish->own_comms ? COMM_WORLD : any_comm(b, 0), n = b->p->size[COMM_WORLD][0],
	    tag = below(&b->random, b->tags);
	int shift = 1 + below(&b->random, n > 1 ? n - 1 : 1);
	if (comm == COMM_INTER || b->p->size[comm][0] < n)
		comm = COMM_WORLD;
	for (int r = 0; r < n; r++) {
		int proc = b->p->member[comm][0][r];
		struct call *c = add_message(b, proc * b->p->lanes, K_SENDRECV, comm, (r + shift) % n, tag);
		c->source = (int8_t)(chance(&b->random, b->any) ? ANY : (r + n - shift) % n);
		c->rtag = (int8_t)(chance(&b->random, b->any_tag) ? ANY : tag);
	}
}

/* ---- the rest ---- */

static void collective(struct build *b)
{
	static const int kinds[] = {K_BARRIER, K_BCAST, K_REDUCE, K_ALLREDUCE, K_SCAN, K_EXSCAN, K_IBARRIER, K_IBCAST};
	int kind = kinds[below(&b->random, 8)], comm = chance(&b->random, 50) ? COMM_WORLD : COMM_SECOND;
	int proc = below(&b->random, b->p->procs);
	if (b->p->number[comm][proc] < 0)
		return;
	int n = b->p->size[comm][proc], root = below(&b->random, n), lane = b->wish->own_comms && comm == COMM_SECOND;
	if (kind >= K_IBARRIER) /* all need a variable */
		for (int r = 0; r < n; r++)
			if (free_var(b, b->p->member[comm][proc][r] * b->p->lanes + lane) < 0)
				kind = K_BARRIER;
	for (int r = 0; r < n; r++) {
		int thread = b->p->member[comm][proc][r] * b->p->lanes + lane;
		struct call *c = add_message(b, thread, kind, comm, root, 0);
		if (kind >= K_IBARRIER) {
			c->var = (int8_t)free_var(b, thread);
			b->var[thread][c->var] = SENDS;
		}
	}
}

/* On an intercommunicator: the root says so, the others of its side that they have no part, the other side names it. */
static void inter_collective(struct build *b)
{
	static const int kinds[] = {K_BARRIER, K_BCAST, K_REDUCE, K_ALLREDUCE};
	int kind = kinds[below(&b->random, 4)], root = below(&b->random, b->p->procs);
	if (b->second != K_INTER || b->p->lanes > 1)
		return;
	for (int proc = 0; proc < b->p->procs; proc++) {
		int own = b->p->color[proc] == b->p->color[root];
		int peer = proc == root ? ROOT : own ? PROC_NULL : rank_in(b->p, COMM_INTER, proc, root);
		add_message(b, proc, kind, COMM_INTER, kind == K_BCAST || kind == K_REDUCE ? peer : 0, 0);
	}
}

static void cancel(struct build *b, int thread)
{
	int v = free_var(b, thread), comm = any_comm(b, thread);
	if (v < 0)
		return;
	struct call *c = add_message(b, thread, K_IRECV, comm, ANY, chance(&b->random, 50) ? 99 : ANY);
	c->var = (int8_t)v;
	if (chance(&b->random, 30)) {
		struct call *s = add_message(b, thread, K_SEND, comm, any_peer(b, comm, proc_of(b, thread)), 98);
		s->tag = 98; /* never received */
	}
	c = add(b, thread, K_CANCEL);
	c->var = (int8_t)v;
	c->nvars = 1;
	c = add(b, thread, K_WAIT);
	c->var = (int8_t)v;
	c->nvars = 1;
}

static void nobody(struct build *b, int thread)
{
	int v = free_var(b, thread), comm = any_comm(b, thread);
	switch (below(&b->random, v < 0 ? 2 : 4)) {
	case 0:
		add_message(b, thread, K_SEND, comm, PROC_NULL, 1);
		break;
	case 1:
		add_message(b, thread, K_RECV, comm, PROC_NULL, 1);
		break;
	case 2:
		add_message(b, thread, K_IRECV, comm, PROC_NULL, ANY)->var = (int8_t)v;
		b->var[thread][v] = SENDS;
		break;
	default:
		add_message(b, thread, K_ISEND, comm, PROC_NULL, 2)->var = (int8_t)v;
		b->var[thread][v] = SENDS;
	}
}

static void step(struct build *b)
{
	int thread = below(&b->random, b->p->threads), what = below(&b->random, 100);
	if (b->room[thread] < 3)
		return;
	if (what < 40)
		send(b, thread);
	else if (what < 70 && b->npending)
		receive(b, below(&b->random, b->npending));
	else if (what < 85)
		complete(b, thread);
	else if (what < 89 && chance(&b->random, 70))
		collective(b);
	else if (what < 89)
		inter_collective(b);
	else if (what < 91)
		exchange(b);
	else if (what < 93 && !b->wish->simple)
		cancel(b, thread);
	else if (what < 95)
		nobody(b, thread);
	else if (what < 97 && !b->wish->simple && b->npending)
		b->npending--; /* never received */
}

/* ---- communicators ---- */

static void world(struct program *p)
{
	for (int proc = 0; proc < p->procs; proc++) {
		p->size[COMM_WORLD][proc] = (uint8_t)p->procs;
		for (int r = 0; r < p->procs; r++)
			p->member[COMM_WORLD][proc][r] = (uint8_t)r;
		p->number[COMM_WORLD][proc] = 0;
		p->number[COMM_SECOND][proc] = p->number[COMM_INTER][proc] = -1;
	}
}

static void split(struct build *b)
{
	struct program *p = b->p;
	for (int proc = 0; proc < p->procs; proc++) {
		p->color[proc] = below(&b->random, b->second == K_INTER ? 2 : 3) - (b->second != K_INTER);
		p->key[proc] = below(&b->random, 100) * MAX_PROCS + proc;
	}
	if (b->second == K_INTER)
		p->color[0] = 0, p->color[p->procs - 1] = 1;
	for (int proc = 0; proc < p->procs; proc++)
		for (int key = 0, n; key < 100 * MAX_PROCS && p->color[proc] >= 0; key++)
			for (int q = 0; q < p->procs; q++)
				if (p->key[q] == key && p->color[q] == p->color[proc]) {
					n = p->size[COMM_SECOND][proc]++;
					p->member[COMM_SECOND][proc][n] = (uint8_t)q;
				}
}

static void inter(struct program *p)
{
	for (int proc = 0; proc < p->procs; proc++) {
		int other = 0;
		while (p->color[other] == p->color[proc])
			other++;
		p->size[COMM_INTER][proc] = p->size[COMM_SECOND][proc];
		memcpy(p->member[COMM_INTER][proc], p->member[COMM_SECOND][proc], MAX_PROCS);
		p->remote_size[COMM_INTER][proc] = p->size[COMM_SECOND][other];
		memcpy(p->remote[COMM_INTER][proc], p->member[COMM_SECOND][other], MAX_PROCS);
	}
}

static void communicators(struct build *b)
{
	struct program *p = b->p;
	int roll = below(&b->random, 10);
	b->second = b->wish->own_comms || roll < 3 ? K_DUP : roll < 6 ? 0 : roll < 8 ? K_SPLIT : K_INTER;
	world(p);
	if (b->second == K_DUP) {
		memcpy(p->size[COMM_SECOND], p->size[COMM_WORLD], sizeof p->size[0]);
		memcpy(p->member[COMM_SECOND], p->member[COMM_WORLD], sizeof p->member[0]);
	} else if (b->second) {
		split(b);
	}
	if (b->second == K_INTER)
		inter(p);
	for (int proc = 0; proc < p->procs; proc++) {
		int thread = proc * p->lanes, next = 2;
		add(b, thread, K_INIT);
		p->dup_self[proc] = chance(&b->random, 20);
		if (p->dup_self[proc]) {
			add(b, thread, K_DUP_SELF);
			next++;
		}
		if (b->second)
			add_message(b, thread, b->second == K_DUP ? K_DUP : K_SPLIT, COMM_WORLD, -1, 0);
		if (p->size[COMM_SECOND][proc])
			p->number[COMM_SECOND][proc] = next++;
		if (b->second == K_INTER) {
			add_message(b, thread, K_INTER, COMM_SECOND, -1, 0);
			p->number[COMM_INTER][proc] = next++;
		}
		p->prologue[proc] = p->thread[thread].n;
	}
}

bool generate(struct program *p, uint64_t seed, const struct wish *wish)
{
	struct build b = {.p = p, .wish = wish, .random = seed * 0x9e3779b97f4a7c15u + 0x1234567};
	memset(p, 0, sizeof *p);
	p->seed = seed;
	for (int i = 0; i < 4; i++)
		roll(&b.random);
	p->procs = wish->procs ? wish->procs : 2 + below(&b.random, MAX_PROCS - 1);
	p->lanes = wish->lanes;
	p->threads = p->procs * p->lanes;
	static const int shares[] = {20, 50, 90};
	b.any = shares[below(&b.random, 3)];
	b.any_tag = below(&b.random, 2) ? 10 : 40;
	b.tags = 1 + below(&b.random, 3);
	b.sync = below(&b.random, 3) ? 10 : 40;
	b.hub = below(&b.random, p->procs);
	for (int t = 0; t < p->threads; t++) {
		p->thread[t].proc = (uint8_t)(t / p->lanes);
		p->thread[t].lane = (uint8_t)(t % p->lanes);
	}
	communicators(&b);
	for (int t = 0; t < p->threads; t++)
		b.room[t] = 3 + below(&b.random, wish->calls - 2);
	for (int i = 0; i < p->threads * wish->calls; i++)
		step(&b);
	while (b.npending)
		if (wish->simple || chance(&b.random, 92))
			receive(&b, below(&b.random, b.npending));
		else
			b.npending--;
	for (int t = 0; t < p->threads; t++) {
		finish_requests(&b, t);
		if (p->thread[t].lane == 0)
			add(&b, t, K_FINALIZE);
		if (p->thread[t].n >= MAX_CALLS - 1)
			return false;
	}
	return prepare(p);
}
