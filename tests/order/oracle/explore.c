/* All runs of a program, one lane per process: depth first over the choices, a state
 * seen before is not gone into again. Without losing an outcome
 *  - calls that have no choice are done at once: what they wait for stays true, and a
 *    receive gets the same message whether it is posted before that arrives or after;
 *  - a message to a process that has no wildcard for it left arrives at once;
 *  - when all that can still arrive at a process is under way (no channel to it is empty
 *    that will carry a message), only its own choices are gone into: what the
 *    others do neither adds a choice here nor takes one away. (Godefroid 1996, persistent sets.)
 * `naive` leaves all that out, for a test of it. */
#include <stdlib.h>
#include <string.h>

#include "oracle.h"

#define BIT(i) ((uint64_t)1 << (i))

struct seen {
	uint64_t *slot, used, size;
};

struct search {
	const struct program *p;
	const struct limits *limits;
	struct outcomes *out;
	struct seen seen;
	uint64_t wild[COMMS][MAX_PROCS];        /* receives and probes with any source */
	uint64_t to[MAX_PROCS];                 /* messages */
	uint64_t channel[MAX_PROCS][MAX_ITEMS]; /* to a process, one mask per channel */
	int channels[MAX_PROCS];
};

static uint64_t mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * 0xff51afd7ed558ccdu;
	return h ^ h >> 32;
}

static uint64_t hash_state(const struct search *x, const struct state *s)
{
	uint64_t h = 1, queue[COMMS * MAX_PROCS] = {0};
	for (int t = 0; t < x->p->threads; t++)
		h = mix(h, (uint64_t)s->pc[t] << 8 | s->phase[t]);
	h = mix(mix(mix(h, s->transit), s->unexpected), s->posted);
	h = mix(mix(mix(h, s->matched), s->cancelled), s->consumed);
	for (int i = 0; i < s->nqueue; i++) { /* the order matters within a queue only */
		const struct message *m = &x->p->message[s->queue[i]];
		uint64_t *q = &queue[m->comm * MAX_PROCS + m->dest];
		*q = mix(*q, (uint64_t)s->queue[i] + 1);
	}
	for (int i = 0; i < COMMS * MAX_PROCS; i++)
		h = mix(h, queue[i]);
	for (int r = 0; r < x->p->receives; r++) { /* what a probe saw decides what its receive asks for */
		uint8_t probe = x->p->receive[r].follows;
		if (probe != NONE && s->matched >> probe & 1 && !(s->matched >> r & 1))
			h = mix(h, (uint64_t)s->got[probe] << 8 | (uint64_t)r);
	}
	return h ? h : 1;
}

static bool insert(struct seen *s, uint64_t h)
{
	uint64_t i = h & (s->size - 1);
	for (; s->slot[i]; i = (i + 1) & (s->size - 1))
		if (s->slot[i] == h)
			return false;
	s->slot[i] = h;
	s->used++;
	return true;
}

static bool seen_before(struct seen *s, uint64_t h)
{
	if (s->used * 2 >= s->size) {
		struct seen more = {.size = s->size ? s->size * 2 : 1024};
		more.slot = calloc(more.size, sizeof *more.slot);
		if (!more.slot)
			abort();
		for (uint64_t i = 0; i < s->size; i++)
			if (s->slot[i])
				insert(&more, s->slot[i]);
		free(s->slot);
		*s = more;
	}
	return !insert(s, h);
}

/* ---- what has a choice ---- */

static const struct call *inside(const struct search *x, const struct state *s, int thread)
{
	return finished(x->p, s, thread) ? NULL : &x->p->thread[thread].call[s->pc[thread]];
}

static bool chooses(const struct search *x, const struct state *s, int thread)
{
	const struct call *c = inside(x, s, thread);
	if (!c || (c->kind != K_WAITANY && c->kind != K_WAITSOME))
		return c && c->kind == K_CANCEL && s->phase[thread] == BEFORE;
	unsigned active;
	ready(x->p, s, c, &active);
	return s->phase[thread] == INSIDE && active;
}

static bool cancels_later(const struct search *x, const struct state *s, int thread)
{
	const struct thread *t = &x->p->thread[thread];
	for (int i = s->pc[thread]; i < t->n; i++)
		if (t->call[i].kind == K_CANCEL)
			return true;
	return false;
}

/* Whether it matters when messages of this communicator arrive at this process. */
static bool open(const struct search *x, const struct state *s, int comm, int proc)
{
	uint64_t left = x->wild[comm][proc] & ~(s->matched | s->cancelled);
	return left || cancels_later(x, s, proc);
}

static bool may_move(const struct search *x, const struct state *s, int thread)
{
	return !s->bad && !chooses(x, s, thread) && (may_enter(x->p, s, thread) || may_exit(x->p, s, thread));
}

static void move(const struct search *x, struct state *s, int thread)
{
	if (s->phase[thread] == BEFORE)
		take_effect(x->p, s, thread);
	else
		leave(x->p, s, thread, 0);
}

/* Does what needs no choice. */
static void settle(const struct search *x, struct state *s)
{
	bool moved = !x->limits->naive;
	while (moved && !s->bad) {
		moved = false;
		for (int t = 0; t < x->p->threads; t++)
			for (; may_move(x, s, t); moved = true)
				move(x, s, t);
		for (uint64_t h = heads(x->p, s); h && !s->bad; h &= h - 1) {
			const struct message *m = &x->p->message[__builtin_ctzll(h)];
			if (!open(x, s, m->comm, m->dest)) {
				deliver(x->p, s, __builtin_ctzll(h));
				moved = true;
			}
		}
	}
}

/* ---- the search ---- */

static void search(struct search *x, const struct state *from);

static void go(struct search *x, struct state *s)
{
	if (!s->bad)
		search(x, s);
}

static void choose_deliveries(struct search *x, const struct state *s, uint64_t messages)
{
	for (; messages; messages &= messages - 1) {
		struct state next = *s;
		deliver(x->p, &next, __builtin_ctzll(messages));
		go(x, &next);
	}
}

static int choose_places(struct search *x, const struct state *s, int thread)
{
	const struct call *c = inside(x, s, thread);
	unsigned active, done = ready(x->p, s, c, &active);
	int taken = 0;
	uint8_t must = s->must ? s->must->picked[must_now(s)][thread][s->pc[thread]] : 0;
	for (unsigned set = done; set; set = (set - 1) & done) {
		if ((c->kind == K_WAITANY && (set & (set - 1))) || (must && set != must))
			continue;
		struct state next = *s;
		taken++;
		x->out->picked[thread][s->pc[thread]] |= (uint8_t)set;
		leave(x->p, &next, thread, set);
		go(x, &next);
	}
	return taken;
}

/* Returns how many ways there were. */
static int choose_own(struct search *x, const struct state *s, int thread)
{
	if (!chooses(x, s, thread))
		return 0;
	if (inside(x, s, thread)->kind != K_CANCEL)
		return choose_places(x, s, thread);
	struct state next = *s;
	take_effect(x->p, &next, thread);
	leave(x->p, &next, thread, 0);
	go(x, &next);
	return 1;
}

/* A process in Waitany whose sends or collectives others may complete. */
static bool waits_for_others(const struct search *x, const struct state *s, int thread)
{
	const struct call *c = inside(x, s, thread);
	if (!chooses(x, s, thread) || c->kind == K_CANCEL)
		return false;
	unsigned active, done = ready(x->p, s, c, &active);
	for (int v = 0; v < c->nvars; v++)
		if ((active & ~done) >> v & 1 && x->p->request[c->refers[v]].kind != REQUEST_RECV)
			return true;
	return false;
}

/* A process whose own choices are enough, or -1. */
static int persistent(const struct search *x, const struct state *s, uint64_t first)
{
	int best = -1, fewest = 1000;
	for (int d = 0; d < x->p->procs; d++) {
		int n = __builtin_popcountll(first & x->to[d]) + (chooses(x, s, d) ? 2 : 0);
		bool enough = n && n < fewest && !cancels_later(x, s, d) && !waits_for_others(x, s, d);
		for (int c = 0; c < x->channels[d] && enough; c++) {
			uint64_t all = x->channel[d][c], to_come = 0;
			for (uint64_t m = all & ~(s->transit | s->unexpected); m; m &= m - 1) {
				const struct message *q = &x->p->message[__builtin_ctzll(m)];
				to_come |= s->pc[q->thread] < q->call ||
					   (s->pc[q->thread] == q->call && s->phase[q->thread] != INSIDE);
			}
			enough = !to_come || (all & s->transit);
		}
		if (enough)
			best = d, fewest = n;
	}
	return best;
}

static void note(struct search *x, const struct state *s)
{
	for (uint64_t m = s->matched; m; m &= m - 1) {
		int r = __builtin_ctzll(m);
		x->out->got[r] |= BIT(s->got[r]);
	}
}

static void search(struct search *x, const struct state *from)
{
	struct state s = *from;
	if (!x->out->complete)
		return;
	settle(x, &s);
	if (s.bad)
		return;
	note(x, &s);
	if (seen_before(&x->seen, hash_state(x, &s)))
		return;
	if (++x->out->states > x->limits->states) {
		x->out->complete = false;
		return;
	}
	uint64_t first = heads(x->p, &s);
	int only = x->limits->naive ? -1 : persistent(x, &s, first), choices = __builtin_popcountll(first);
	choose_deliveries(x, &s, only >= 0 ? first & x->to[only] : first);
	for (int t = 0; t < x->p->threads; t++) {
		choices += x->limits->naive && may_move(x, &s, t);
		if (x->limits->naive && may_move(x, &s, t)) {
			struct state next = s;
			move(x, &next, t);
			go(x, &next);
		}
		if (only < 0 || only == t)
			choices += choose_own(x, &s, t);
	}
	if (choices)
		return;
	bool ended = true;
	for (int t = 0; t < x->p->threads; t++)
		ended = ended && finished(x->p, &s, t);
	x->out->ended += ended;
	x->out->stuck += !ended;
}

static void prepare_search(struct search *x)
{
	const struct program *p = x->p;
	for (int r = 0; r < p->receives; r++)
		if (p->receive[r].source == ANY)
			x->wild[p->receive[r].comm][p->receive[r].proc] |= BIT(r);
	for (int m = 0; m < p->messages; m++) {
		int d = p->message[m].dest;
		x->to[d] |= BIT(m);
		uint64_t channel = x->limits->weak ? p->message[m].tagged : p->message[m].channel;
		if ((channel & (BIT(m) - 1)) == 0)
			x->channel[d][x->channels[d]++] = channel;
	}
}

void explore(const struct program *p, const struct limits *limits, struct outcomes *ret)
{
	struct search *x = calloc(1, sizeof *x);
	struct state s;
	if (!x || p->lanes != 1)
		abort();
	memset(ret, 0, sizeof *ret);
	ret->complete = true;
	*x = (struct search){.p = p, .limits = limits, .out = ret};
	prepare_search(x);
	state_begin(&s, limits->must, limits->weak);
	search(x, &s);
	free(x->seen.slot);
	free(x);
}
