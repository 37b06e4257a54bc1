/* One run of a program under a random schedule, with the truth about it. */
#include <string.h>

#include "oracle.h"

struct action {
	enum { MOVE, DELIVER } kind;
	int item, weight;
};

struct runner {
	const struct program *p;
	struct run *run;
	struct state s;
	uint64_t random, now;
	int thread_weight[MAX_THREADS], message_weight[MAX_ITEMS];
};

static void answer(struct happening *e, int64_t v) { e->result[e->nresults++] = v; }

static void answer_request(const struct runner *x, struct happening *e, int request, bool active)
{
	const struct request *q = request == NONE ? NULL : &x->p->request[request];
	if (!active) {
		answer(e, 4);
		return;
	}
	const struct receive *r = q->kind == REQUEST_RECV ? &x->p->receive[q->item] : NULL;
	if (r && x->s.cancelled >> q->item & 1) {
		answer(e, 2);
		answer(e, REFERS + q->posting);
	} else if (r && ((!r->matched && (r->source == ANY || r->tag == ANY)) ||
				x->p->message[x->s.got[q->item]].count != RECEIVED_COUNT)) {
		const struct message *m = &x->p->message[x->s.got[q->item]];
		answer(e, 1);
		answer(e, REFERS + q->posting);
		answer(e, m->rank);
		answer(e, m->tag);
		answer(e, 4 * m->count);
	} else {
		answer(e, 0);
		answer(e, REFERS + q->posting);
	}
}

static void answer_message(const struct runner *x, struct happening *e, int receive)
{
	const struct receive *r = &x->p->receive[receive];
	const struct message *m = &x->p->message[x->s.got[receive]];
	if (r->source != ANY && r->tag != ANY && !r->probe && !r->matched && m->count == RECEIVED_COUNT)
		return;
	answer(e, m->rank);
	answer(e, m->tag);
	answer(e, 4 * m->count);
}

/* Which requests a completion ends, and what it says of them. */
static void answer_completion(struct runner *x, int thread, const struct call *c, unsigned chosen)
{
	struct happening *e = &x->run->event[thread][x->s.pc[thread]];
	bool picks = c->kind == K_WAITANY || c->kind == K_WAITSOME;
	unsigned active;
	ready(x->p, &x->s, c, &active);
	if (picks && !active) {
		answer(e, -1);
		return;
	}
	if (c->kind == K_WAITSOME)
		answer(e, __builtin_popcount(chosen));
	for (int v = 0; v < c->nvars; v++) {
		if (picks && !(chosen >> v & 1))
			continue;
		if (picks)
			answer(e, v);
		answer_request(x, e, c->refers[v], active >> v & 1);
	}
}

static void truth_of_completion(struct runner *x, struct place here, const struct call *c, unsigned taken)
{
	for (int v = 0; v < c->nvars; v++) {
		if (!(taken >> v & 1))
			continue;
		const struct request *q = &x->p->request[c->refers[v]];
		if (q->kind == REQUEST_RECV && x->s.matched >> q->item & 1)
			x->run->received[q->item] = here;
		if (q->kind == REQUEST_SEND)
			x->run->sent[q->item] = here;
		for (int i = 0; q->kind == REQUEST_COLL && i < x->p->coll[q->item].n; i++)
			if (x->p->coll[q->item].member[i] == x->p->thread[here.thread].proc)
				x->run->left[q->item][i] = here;
	}
}

static void truth_of_call(struct runner *x, struct place here, const struct call *c)
{
	if (c->kind == K_RECV || c->kind == K_SENDRECV)
		if (c->recv != NONE)
			x->run->received[c->recv] = here;
	if (c->kind == K_MRECV)
		x->run->received[c->probe] = here;
	if ((c->kind == K_SEND || c->kind == K_SSEND || c->kind == K_SENDRECV) && c->send != NONE)
		x->run->sent[c->send] = here;
	if (c->coll != NONE && c->kind != K_IBARRIER && c->kind != K_IBCAST)
		for (int i = 0; i < x->p->coll[c->coll].n; i++)
			if (x->p->coll[c->coll].member[i] == x->p->thread[here.thread].proc)
				x->run->left[c->coll][i] = here;
}

static void made_comm(const struct runner *x, int thread, const struct call *c, struct happening *e)
{
	int proc = x->p->thread[thread].proc;
	if (c->kind == K_DUP_SELF)
		answer(e, 2);
	else
		answer(e, x->p->number[c->kind == K_INTER ? COMM_INTER : COMM_SECOND][proc]);
}

static unsigned pick_one(struct runner *x, unsigned set)
{
	for (int skip = below(&x->random, __builtin_popcount(set)); skip; skip--)
		set &= set - 1;
	return set & -set;
}

static void exit_call(struct runner *x, int thread)
{
	int i = x->s.pc[thread];
	const struct call *c = &x->p->thread[thread].call[i];
	struct happening *e = &x->run->event[thread][i];
	struct place here = {(uint8_t)thread, (uint8_t)i};
	unsigned active = 0, chosen = 0;
	bool completes = c->kind >= K_WAIT && c->kind <= K_TEST;
	if (completes) {
		chosen = ready(x->p, &x->s, c, &active);
		if (c->kind == K_WAITANY && chosen)
			chosen = pick_one(x, chosen);
		if (c->kind == K_WAITSOME && chance(&x->random, 30) && chosen & (chosen - 1))
			chosen &= chosen - 1;
		answer_completion(x, thread, c, chosen);
		bool picks = c->kind == K_WAITANY || c->kind == K_WAITSOME;
		truth_of_completion(x, here, c, picks ? chosen : active);
		x->run->picked[thread][i] = picks ? (uint8_t)chosen : 0;
	}
	truth_of_call(x, here, c);
	leave(x->p, &x->s, thread, chosen);
	if (c->recv != NONE && c->kind != K_IRECV && c->kind != K_START)
		answer_message(x, e, c->recv);
	if (c->kind >= K_DUP_SELF && c->kind <= K_INTER)
		made_comm(x, thread, c, e);
	if (c->kind == K_START)
		answer(e, REFERS + x->p->request[c->init].posting);
	if ((c->kind == K_CANCEL || c->kind == K_REQUEST_FREE) && c->refers[0] != NONE)
		answer(e, REFERS + x->p->request[c->refers[0]].posting);
	if (c->kind == K_MRECV || c->kind == K_IMRECV) {
		const struct receive *r = &x->p->receive[c->probe];
		answer(e, REFERS + x->p->thread[r->thread].call[r->call].posting);
	}
	e->exit = x->now;
	e->exited = true;
	x->run->exited[thread]++;
}

static void move(struct runner *x, int thread)
{
	int i = x->s.pc[thread], kind = x->p->thread[thread].call[i].kind;
	struct happening *e = &x->run->event[thread][i];
	if (x->s.phase[thread] == INSIDE) {
		exit_call(x, thread);
		return;
	}
	if (x->s.phase[thread] == BEFORE) {
		e->enter = x->now;
		e->polls = is_poll(kind) ? (uint8_t)below(&x->random, 4) : 0;
		x->run->entered[thread]++;
	}
	if (x->s.phase[thread] == BEFORE && x->p->lanes > 1 && !is_poll(kind)) {
		x->s.phase[thread] = ENTERED;
		return;
	}
	take_effect(x->p, &x->s, thread);
	if (is_poll(kind))
		exit_call(x, thread);
}

static bool may_move(const struct runner *x, int thread)
{
	return !finished(x->p, &x->s, thread) &&
	       (x->s.phase[thread] == ENTERED || may_enter(x->p, &x->s, thread) || may_exit(x->p, &x->s, thread));
}

static int actions(struct runner *x, struct action *ret)
{
	int n = 0;
	for (int t = 0; t < x->p->threads; t++)
		if (may_move(x, t))
			ret[n++] = (struct action){MOVE, t, x->thread_weight[t]};
	for (uint64_t h = heads(x->p, &x->s); h; h &= h - 1) {
		int m = __builtin_ctzll(h);
		ret[n++] = (struct action){DELIVER, m, x->message_weight[m]};
	}
	return n;
}

static bool step(struct runner *x)
{
	struct action all[MAX_THREADS + MAX_ITEMS];
	int n = actions(x, all), sum = 0, i = 0;
	for (int k = 0; k < n; k++)
		sum += all[k].weight;
	if (!n)
		return false;
	for (int at = below(&x->random, sum); at >= all[i].weight; i++)
		at -= all[i].weight;
	x->now += 1 + (uint64_t)below(&x->random, 5);
	if (all[i].kind == MOVE)
		move(x, all[i].item);
	else
		deliver(x->p, &x->s, all[i].item);
	return true;
}

void run_random(const struct program *p, uint64_t seed, struct run *ret)
{
	struct runner x = {.p = p, .run = ret, .random = seed * 0x9e3779b97f4a7c15u + 99, .now = 10};
	for (int i = 0; i < 4; i++)
		roll(&x.random);
	memset(ret, 0, sizeof *ret);
	memset(ret->received, NONE, sizeof ret->received);
	memset(ret->sent, NONE, sizeof ret->sent);
	memset(ret->left, NONE, sizeof ret->left);
	ret->p = p;
	state_begin(&x.s, NULL, false);
	for (int t = 0; t < p->threads; t++)
		x.thread_weight[t] = 1 << below(&x.random, 6);
	int slow = below(&x.random, 3) * 2 + 1;
	for (int m = 0; m < p->messages; m++)
		x.message_weight[m] = 1 << below(&x.random, slow);
	int steps = chance(&x.random, 10) ? below(&x.random, 150) : 1000000;
	while (steps-- > 0 && step(&x))
		;
	ret->whole = true;
	for (int t = 0; t < p->threads; t++)
		ret->whole = ret->whole && finished(p, &x.s, t);
	ret->end = x.s;
}

static void print_place(FILE *to, const struct run *r, struct place w)
{
	if (w.thread == NONE)
		fputs("nowhere", to);
	else
		fprintf(to, "%d.%d:%d", r->p->thread[w.thread].proc, r->p->thread[w.thread].lane, w.call + 1);
}

void print_run(FILE *to, const struct run *r)
{
	for (int i = 0; i < r->p->receives; i++) {
		const struct receive *q = &r->p->receive[i];
		if (r->exited[q->thread] + 1 < q->call || r->end.got[i] == NONE)
			continue;
		const struct message *m = &r->p->message[r->end.got[i]];
		fprintf(to, "  R%d got m%d of %d:%d, completed ", i, r->end.got[i], m->source, m->call + 1);
		print_place(to, r, r->received[i]);
		fputc('\n', to);
	}
	fputs("  events entered:", to);
	for (int t = 0; t < r->p->threads; t++)
		fprintf(to, " %d of %d%s", r->entered[t], r->p->thread[t].n,
			r->exited[t] < r->entered[t] ? " (inside)" : "");
	fputc('\n', to);
}
