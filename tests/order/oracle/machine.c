/* What calls do to messages, receives and requests: MPI's rules of matching, and no more. */
#include <string.h>

#include "oracle.h"

#define BIT(i) ((uint64_t)1 << (i))

void state_begin(struct state *s, const struct must *must, bool weak)
{
	memset(s, 0, sizeof *s);
	memset(s->got, NONE, sizeof s->got);
	s->must = must;
	s->weak = weak;
}

static const struct call *at(const struct program *p, const struct state *s, int thread)
{
	return &p->thread[thread].call[s->pc[thread]];
}

bool is_poll(int kind) { return kind == K_TEST || kind == K_IPROBE; }

bool receive_takes(const struct receive *r, const struct message *m)
{
	return m->dest == r->proc && m->comm == r->comm && (r->source == ANY || r->source == m->source) &&
	       (r->tag == ANY || r->tag == m->tag);
}

/* ---- matching ---- */

int must_now(const struct state *s) { return s->must->until == NONE || (s->matched >> s->must->until & 1); }

static void demand(struct state *s, int receive, int outcome)
{
	if (!s->must)
		return;
	uint8_t must = s->must->got[must_now(s)][receive];
	if (must != MUST_FREE && must != outcome)
		s->bad = true;
}

static void match(struct state *s, int receive, int message)
{
	demand(s, receive, message);
	s->got[receive] = (uint8_t)message;
	s->matched |= BIT(receive);
}

/* Whether the receive may take this message: not when it takes an earlier one of the same sender, too. */
static bool allowed(const struct program *p, const struct state *s, int receive, int message)
{
	struct receive asked = p->receive[receive];
	const struct receive *r = &asked;
	if (asked.follows != NONE)
		asked.source = (int8_t)p->message[s->got[asked.follows]].source;
	if (!receive_takes(r, &p->message[message]))
		return false;
	uint64_t same = s->weak ? p->message[message].channel & (s->transit | s->unexpected) : 0;
	for (; same; same &= same - 1) {
		int m = __builtin_ctzll(same);
		if (s->sent_at[m] < s->sent_at[message] && receive_takes(r, &p->message[m]))
			return false;
	}
	return true;
}

/* The place in the queue of the first message that the receive takes, -1: none. */
static int arrived(const struct program *p, const struct state *s, int receive)
{
	for (int i = 0; i < s->nqueue; i++)
		if (allowed(p, s, receive, s->queue[i]))
			return i;
	return -1;
}

static void take_from_queue(struct state *s, int receive, int place)
{
	int message = s->queue[place];
	memmove(s->queue + place, s->queue + place + 1, (size_t)(s->nqueue - place - 1));
	s->nqueue--;
	s->unexpected &= ~BIT(message);
	match(s, receive, message);
}

static void post(const struct program *p, struct state *s, int receive)
{
	int place = arrived(p, s, receive);
	s->posted_at[receive] = s->clock++;
	if (place >= 0)
		take_from_queue(s, receive, place);
	else
		s->posted |= BIT(receive);
}

static void emit(struct state *s, int message)
{
	s->sent_at[message] = s->clock++;
	s->transit |= BIT(message);
}

uint64_t heads(const struct program *p, const struct state *s)
{
	uint64_t found = 0;
	for (uint64_t left = s->transit; left; left &= left - 1) {
		int m = __builtin_ctzll(left);
		bool first = true;
		uint64_t channel = s->weak ? p->message[m].tagged : p->message[m].channel;
		for (uint64_t same = s->transit & channel; same && first; same &= same - 1)
			first = s->sent_at[__builtin_ctzll(same)] >= s->sent_at[m];
		if (first)
			found |= BIT(m);
	}
	return found;
}

/* The posted receive that takes the message; -1: none. */
static int taker(const struct program *p, const struct state *s, int message)
{
	int best = -1;
	for (uint64_t left = s->posted; left; left &= left - 1) {
		int r = __builtin_ctzll(left);
		if (allowed(p, s, r, message) && (best < 0 || s->posted_at[r] < s->posted_at[best]))
			best = r;
	}
	return best;
}

void deliver(const struct program *p, struct state *s, int message)
{
	s->transit &= ~BIT(message);
	s->unexpected |= BIT(message);
	s->queue[s->nqueue++] = (uint8_t)message;
	/* when order is weak, its arrival may free others that waited for it */
	for (int i = s->weak ? 0 : s->nqueue - 1, r; i < s->nqueue;) {
		if ((r = taker(p, s, s->queue[i])) < 0) {
			i++;
			continue;
		}
		s->posted &= ~BIT(r);
		take_from_queue(s, r, i);
		i = s->weak ? 0 : s->nqueue;
	}
}

/* ---- requests ---- */

static bool entered(const struct state *s, int thread, int call)
{
	return s->pc[thread] > call || (s->pc[thread] == call && s->phase[thread] == INSIDE);
}

static bool message_matched(const struct program *p, const struct state *s, int message)
{
	const struct message *m = &p->message[message];
	return entered(s, m->thread, m->call) && !((s->transit | s->unexpected) & BIT(message));
}

/* May this process leave the collective? */
static bool coll_done(const struct program *p, const struct state *s, int coll, int proc)
{
	const struct collective *q = &p->coll[coll];
	int own = 0;
	while (q->member[own] != proc)
		own++;
	for (int i = 0; i < q->n; i++) {
		if (i != own && coll_orders(q, i, own) &&
			(q->thread[i] == NONE || !entered(s, q->thread[i], q->call[i])))
			return false;
	}
	return true;
}

static bool is_active(const struct program *p, const struct state *s, int request)
{
	return request != NONE && !(s->consumed & BIT(request)) && p->request[request].kind != REQUEST_INACTIVE;
}

bool request_ready(const struct program *p, const struct state *s, int request)
{
	const struct request *q = &p->request[request];
	switch (q->kind) {
	case REQUEST_SEND:
		return !p->message[q->item].sync || message_matched(p, s, q->item);
	case REQUEST_RECV:
		return (s->matched | s->cancelled) & BIT(q->item);
	case REQUEST_COLL:
		return coll_done(p, s, q->item, p->thread[q->thread].proc);
	default:
		return true;
	}
}

unsigned ready(const struct program *p, const struct state *s, const struct call *c, unsigned *ret_active)
{
	unsigned done = 0;
	*ret_active = 0;
	for (int v = 0; v < c->nvars; v++)
		if (is_active(p, s, c->refers[v])) {
			*ret_active |= 1u << v;
			if (request_ready(p, s, c->refers[v]))
				done |= 1u << v;
		}
	return done;
}

/* ---- calls ---- */

bool may_enter(const struct program *p, const struct state *s, int thread)
{
	const struct thread *t = &p->thread[thread];
	int main_lane = t->proc * p->lanes;
	if (finished(p, s, thread) || s->phase[thread] != BEFORE)
		return false;
	const struct call *c = at(p, s, thread);
	if (t->lane && s->pc[main_lane] < p->prologue[t->proc])
		return false;
	if (c->kind == K_FINALIZE)
		for (int lane = 1; lane < p->lanes; lane++)
			if (!finished(p, s, main_lane + lane))
				return false;
	unsigned active;
	if (c->kind == K_TEST)
		return ready(p, s, c, &active) == active;
	return c->kind != K_IPROBE || arrived(p, s, c->recv) >= 0;
}

void take_effect(const struct program *p, struct state *s, int thread)
{
	const struct call *c = at(p, s, thread);
	s->phase[thread] = INSIDE;
	if (c->send != NONE)
		emit(s, c->send);
	if (c->recv != NONE && c->kind != K_PROBE && c->kind != K_IPROBE && c->kind != K_MPROBE)
		post(p, s, c->recv);
	if (c->kind == K_CANCEL && is_active(p, s, c->refers[0])) {
		int r = p->request[c->refers[0]].item;
		if (s->posted & BIT(r)) {
			s->posted &= ~BIT(r);
			s->cancelled |= BIT(r);
			demand(s, r, MUST_CANCEL);
		}
	}
}

bool may_exit(const struct program *p, const struct state *s, int thread)
{
	if (finished(p, s, thread) || s->phase[thread] != INSIDE)
		return false;
	const struct call *c = at(p, s, thread);
	unsigned active, done;
	switch (c->kind) {
	case K_SSEND:
		return c->send == NONE || message_matched(p, s, c->send);
	case K_RECV:
	case K_SENDRECV:
		return c->recv == NONE || s->matched & BIT(c->recv);
	case K_PROBE:
	case K_IPROBE:
	case K_MPROBE:
		return arrived(p, s, c->recv) >= 0;
	case K_WAIT:
	case K_TEST:
	case K_WAITALL:
		return ready(p, s, c, &active) == active;
	case K_WAITANY:
	case K_WAITSOME:
		done = ready(p, s, c, &active);
		return done || !active;
	case K_IBARRIER:
	case K_IBCAST:
		return true;
	default:
		return c->coll == NONE || coll_done(p, s, c->coll, p->thread[thread].proc);
	}
}

void leave(const struct program *p, struct state *s, int thread, unsigned chosen)
{
	const struct call *c = at(p, s, thread);
	if (c->kind == K_PROBE || c->kind == K_IPROBE) {
		match(s, c->recv, s->queue[arrived(p, s, c->recv)]);
	} else if (c->kind == K_MPROBE) {
		take_from_queue(s, c->recv, arrived(p, s, c->recv));
	} else if (c->kind >= K_WAIT && c->kind <= K_TEST) {
		unsigned active;
		ready(p, s, c, &active);
		if (c->kind == K_WAITANY || c->kind == K_WAITSOME)
			active = chosen;
		for (int v = 0; v < c->nvars; v++)
			if (active >> v & 1)
				s->consumed |= BIT(c->refers[v]);
	}
	s->pc[thread]++;
	s->phase[thread] = BEFORE;
}
