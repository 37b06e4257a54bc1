/* Numbers what a program sends and receives, and prints it. */
#include <string.h>

#include "oracle.h"

const char *kind_name(int kind)
{
	static const char *const names[] = {
#define X(kind, name) name,
		KINDS(X)
#undef X
	};
	return names[kind];
}

int rank_in(const struct program *p, int comm, int of, int proc)
{
	int n = comm == COMM_INTER ? p->remote_size[comm][of] : p->size[comm][of];
	for (int i = 0; i < n; i++)
		if ((comm == COMM_INTER ? p->remote[comm][of][i] : p->member[comm][of][i]) == proc)
			return i;
	return -9;
}

static int process_of(const struct program *p, int comm, int of, int rank)
{
	return comm == COMM_INTER ? p->remote[comm][of][rank] : p->member[comm][of][rank];
}

/* While the calls of one thread are walked. */
struct walk {
	struct program *p;
	int thread;
	uint8_t request[16], init[16]; /* by variable */
	uint8_t probe[16];             /* by variable: the Mprobe whose message it holds */
	uint8_t init_call[16];
	uint8_t postings, last_probe;
	bool full;
};

static int proc_of(const struct walk *w) { return w->p->thread[w->thread].proc; }

static uint8_t new_message(struct walk *w, int call, int comm, int peer, int tag, bool sync)
{
	struct program *p = w->p;
	if (peer == PROC_NULL)
		return NONE;
	if (p->messages == MAX_ITEMS)
		return w->full = true, NONE;
	struct message *m = &p->message[p->messages];
	int from = proc_of(w), to = process_of(p, comm, from, peer);
	*m = (struct message){.thread = (uint8_t)w->thread,
		.call = (uint8_t)call,
		.comm = (uint8_t)comm,
		.source = (uint8_t)from,
		.dest = (uint8_t)to,
		.tag = (int8_t)tag,
		.rank = (int8_t)rank_in(p, comm, to, from),
		.sync = sync,
		.count = (int8_t)(1 + p->messages % RECEIVED_COUNT)};
	return (uint8_t)p->messages++;
}

static uint8_t new_receive(struct walk *w, int call, int comm, int source, int tag, int kind)
{
	struct program *p = w->p;
	if (source == PROC_NULL)
		return NONE;
	if (p->receives == MAX_ITEMS)
		return w->full = true, NONE;
	int proc = proc_of(w);
	p->receive[p->receives] = (struct receive){.thread = (uint8_t)w->thread,
		.call = (uint8_t)call,
		.proc = (uint8_t)proc,
		.comm = (uint8_t)comm,
		.follows = source == PROBED ? w->last_probe : NONE,
		.source = (int8_t)(source == ANY || source == PROBED ? source : process_of(p, comm, proc, source)),
		.tag = (int8_t)tag,
		.probe = kind == K_PROBE || kind == K_IPROBE,
		.matched = kind == K_MPROBE};
	return (uint8_t)p->receives++;
}

static void new_request(struct walk *w, struct call *c, int call, int kind, uint8_t item)
{
	struct program *p = w->p;
	if (p->requests == MAX_ITEMS) {
		w->full = true;
		return;
	}
	if (item == NONE && kind != REQUEST_INACTIVE)
		kind = REQUEST_NULL;
	p->request[p->requests] = (struct request){.thread = (uint8_t)w->thread,
		.call = (uint8_t)call,
		.kind = (uint8_t)kind,
		.item = item,
		.lane = p->thread[w->thread].lane,
		.posting = w->postings++};
	c->request = w->request[c->var] = (uint8_t)p->requests++;
}

static void start(struct walk *w, struct call *c, int call)
{
	const struct call *made = &w->p->thread[w->thread].call[w->init_call[c->var]];
	c->init = w->init[c->var];
	if (made->kind == K_RECV_INIT) {
		c->recv = new_receive(w, call, made->comm, made->peer, made->tag, K_IRECV);
		new_request(w, c, call, REQUEST_RECV, c->recv);
	} else {
		c->send = new_message(w, call, made->comm, made->peer, made->tag, made->kind == K_SSEND_INIT);
		new_request(w, c, call, REQUEST_SEND, c->send);
	}
}

static uint8_t order_of(int kind)
{
	switch (kind) {
	case K_BCAST:
	case K_IBCAST:
		return COLL_OUT;
	case K_REDUCE:
		return COLL_IN;
	case K_SCAN:
		return COLL_SCAN;
	case K_EXSCAN:
		return COLL_EXSCAN;
	default:
		return COLL_ALL;
	}
}

/* The members of the communicator on which the call is a collective; of an intercommunicator those of both sides. */
static int members(const struct program *p, int comm, int proc, uint8_t *ret, uint8_t *ret_side)
{
	int n = p->size[comm][proc], more = comm == COMM_INTER ? p->remote_size[comm][proc] : 0;
	bool first = !more || p->member[comm][proc][0] < p->remote[comm][proc][0]; /* the same order on both sides */
	memcpy(ret + (first ? 0 : more), p->member[comm][proc], (size_t)n);
	memcpy(ret + (first ? n : 0), p->remote[comm][proc], (size_t)more);
	for (int i = 0; i < n + more; i++)
		ret_side[i] = i >= (first ? n : more);
	return n + more;
}

bool coll_orders(const struct collective *q, int from, int to)
{
	bool across = q->comm != COMM_INTER || q->both_sides || q->side[from] != q->side[to];
	switch (q->order) {
	case COLL_ALL:
		return across;
	case COLL_OUT:
		return across && q->member[from] == q->root;
	case COLL_IN:
		return across && q->member[to] == q->root;
	case COLL_SCAN:
		return from <= to;
	default:
		return from < to;
	}
}

/* The number-th collective of a communicator is one for all its members. */
static void collective(struct walk *w, struct call *c, int call, int number)
{
	struct program *p = w->p;
	uint8_t member[MAX_PROCS], side[MAX_PROCS];
	int comm = c->kind == K_INTER ? COMM_INTER : c->comm, proc = proc_of(w), k = 0;
	int n = members(p, comm, proc, member, side);
	for (; k < p->colls; k++)
		if (p->coll[k].comm == comm && p->coll[k].number == number && p->coll[k].member[0] == member[0])
			break;
	if (k == MAX_ITEMS / 2) {
		w->full = true;
		return;
	}
	struct collective *q = &p->coll[k];
	if (k == p->colls) {
		*q = (struct collective){.kind = c->kind,
			.order = order_of(c->kind),
			.comm = (uint8_t)comm,
			.n = (uint8_t)n,
			.number = (uint8_t)number,
			.both_sides = c->kind == K_INTER,
			.root = NONE};
		memcpy(q->member, member, sizeof member);
		memcpy(q->side, side, sizeof side);
		memset(q->thread, NONE, sizeof q->thread);
		p->colls++;
	}
	if (c->peer == ROOT)
		q->root = (uint8_t)proc;
	else if (c->peer >= 0 && c->kind >= K_BARRIER)
		q->root = (uint8_t)process_of(p, comm, proc, c->peer);
	for (int i = 0; i < n && c->peer != PROC_NULL; i++)
		if (member[i] == proc) {
			q->thread[i] = (uint8_t)w->thread;
			q->call[i] = (uint8_t)call;
		}
	if (c->peer != PROC_NULL)
		c->coll = (uint8_t)k;
}

static void message_call(struct walk *w, struct call *c, int i)
{
	switch (c->kind) {
	case K_SEND:
	case K_SSEND:
	case K_ISEND:
	case K_ISSEND:
		c->send = new_message(w, i, c->comm, c->peer, c->tag, c->kind == K_SSEND || c->kind == K_ISSEND);
		if (c->kind == K_ISEND || c->kind == K_ISSEND)
			new_request(w, c, i, REQUEST_SEND, c->send);
		break;
	case K_SENDRECV:
		c->send = new_message(w, i, c->comm, c->peer, c->tag, false);
		c->recv = new_receive(w, i, c->comm, c->source, c->rtag, K_RECV);
		break;
	case K_SEND_INIT:
	case K_SSEND_INIT:
	case K_RECV_INIT:
		new_request(w, c, i, REQUEST_INACTIVE, NONE);
		w->init[c->var] = c->request;
		w->init_call[c->var] = (uint8_t)i;
		break;
	case K_START:
		start(w, c, i);
		break;
	case K_IMRECV:
		c->probe = w->probe[c->var];
		new_request(w, c, i, REQUEST_RECV, c->probe);
		break;
	case K_MRECV:
		c->probe = w->probe[c->var];
		break;
	default:
		c->recv = new_receive(w, i, c->comm, c->peer, c->tag, c->kind);
		if (c->kind == K_PROBE || c->kind == K_IPROBE)
			w->last_probe = c->recv;
		if (c->kind == K_IRECV)
			new_request(w, c, i, REQUEST_RECV, c->recv);
		if (c->kind == K_MPROBE) {
			w->probe[c->var] = c->recv;
			w->postings++;
		}
	}
}

static void prepare_thread(struct program *p, int thread, int number[COMMS][MAX_PROCS])
{
	struct walk w = {.p = p, .thread = thread, .last_probe = NONE};
	struct thread *t = &p->thread[thread];
	memset(w.request, NONE, sizeof w.request);
	memset(w.probe, NONE, sizeof w.probe);
	for (int i = 0; i < t->n && !w.full; i++) {
		struct call *c = &t->call[i];
		c->send = c->recv = c->request = c->init = c->probe = c->coll = NONE;
		c->posting = w.postings;
		if (c->kind >= K_SEND && c->kind <= K_START) {
			message_call(&w, c, i);
		} else if (c->kind >= K_CANCEL && c->kind <= K_REQUEST_FREE) {
			for (int v = 0; v < c->nvars; v++)
				c->refers[v] = w.request[c->var + v];
			if (c->kind == K_REQUEST_FREE)
				w.request[c->var] = NONE;
		} else if (c->kind == K_DUP || c->kind == K_SPLIT || c->kind == K_INTER || c->kind >= K_BARRIER) {
			collective(&w, c, i, number[c->kind == K_INTER ? COMM_INTER : c->comm][t->proc]++);
			if (c->kind == K_IBARRIER || c->kind == K_IBCAST)
				new_request(&w, c, i, REQUEST_COLL, c->coll);
		}
	}
	if (w.full)
		p->messages = MAX_ITEMS + 1;
}

bool prepare(struct program *p)
{
	int number[COMMS][MAX_PROCS] = {0};
	p->messages = p->receives = p->requests = p->colls = 0;
	for (int t = 0; t < p->threads && p->messages <= MAX_ITEMS; t++)
		prepare_thread(p, t, number);
	if (p->messages > MAX_ITEMS)
		return false;
	for (int i = 0; i < p->messages; i++)
		for (int j = 0; j < p->messages; j++) {
			struct message *a = &p->message[i], *b = &p->message[j];
			if (a->comm == b->comm && a->source == b->source && a->dest == b->dest)
				a->channel |= (uint64_t)1 << j;
			if (a->channel >> j & 1 && a->tag == b->tag)
				a->tagged |= (uint64_t)1 << j;
		}
	return true;
}

/* ---- printing ---- */

static void print_rank(FILE *to, int rank)
{
	if (rank == ANY)
		fputs("ANY", to);
	else if (rank == PROC_NULL)
		fputs("NULL", to);
	else if (rank == PROBED)
		fputs("PROBED", to);
	else
		fprintf(to, "%d", rank);
}

static void print_envelope(FILE *to, int peer, int tag, int comm)
{
	static const char *const names[] = {"WORLD", "second", "inter"};
	print_rank(to, peer);
	fputs(", tag ", to);
	print_rank(to, tag);
	fprintf(to, ", %s", names[comm]);
}

static void print_call(FILE *to, const struct program *p, int thread, int i)
{
	const struct call *c = &p->thread[thread].call[i];
	fprintf(to, "  %d.%d:%d %s(", p->thread[thread].proc, p->thread[thread].lane, i + 1, kind_name(c->kind));
	if ((c->kind >= K_SEND && c->kind <= K_SENDRECV) || (c->kind >= K_PROBE && c->kind <= K_MPROBE)) {
		print_envelope(to, c->peer, c->tag, c->comm);
		if (c->kind == K_SENDRECV) {
			fputs(" | ", to);
			print_envelope(to, c->source, c->rtag, c->comm);
		}
	} else if (c->kind == K_BCAST || c->kind == K_IBCAST || c->kind == K_REDUCE) {
		fprintf(to, "root %d, comm %d", c->peer, c->comm);
	} else if (c->kind >= K_BARRIER) {
		fprintf(to, "comm %d", c->comm);
	} else if (c->kind == K_SPLIT) {
		fprintf(to, "color %d, key %d", p->color[p->thread[thread].proc], p->key[p->thread[thread].proc]);
	}
	for (int v = 0; v < c->nvars; v++)
		fprintf(to, "%sr%d", v ? " " : "", c->var + v);
	fputs(")", to);
	if (c->nvars == 0 && c->var >= 0)
		fprintf(to, " %c%d", c->kind == K_MPROBE || c->kind == K_MRECV ? 'h' : 'r', c->var);
	if (c->send != NONE)
		fprintf(to, "  sends m%d", c->send);
	if (c->recv != NONE)
		fprintf(to, "  %s R%d", p->receive[c->recv].probe ? "probes" : "receives", c->recv);
	if (c->probe != NONE)
		fprintf(to, "  of R%d", c->probe);
}

void print_program(FILE *to, const struct program *p)
{
	fprintf(to, "program %llu: %d processes, %d lanes\n", (unsigned long long)p->seed, p->procs, p->lanes);
	for (int t = 0; t < p->threads; t++)
		for (int i = 0; i < p->thread[t].n; i++) {
			print_call(to, p, t, i);
			fputc('\n', to);
		}
}
