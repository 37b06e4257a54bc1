/* What turns order (hbdb-recording.5, TURNS): a lock is granted when those before it are released that exclude it, and an atomic
 * operation on the memory of a process takes effect behind the one that had the turn before.
 *
 * Where a run is checked nothing is ordered by them: that one came first was chance, and what is wrong when the other one does is
 * wrong. */
#include <stdlib.h>

#include "calls/neutral.h"
#include "model/match/read.h"

enum { TURN_EVERY, TURN_EXCLUSIVE, TURN_SHARED, TURN_ATOMIC };

static hb_at here(const struct hb__reading *r) { return (hb_at){r->line, (uint32_t)r->event->row->number}; }

/* An epoch ends: that of this process which is open. */
static void on_unlock(struct hb__reading *r, const struct hb__own_window *w, int64_t target)
{
	hb_model *m = r->m;
	for (size_t i = m->turns.n; i-- > 0;) {
		struct hb__turn *t = &m->turns.at[i];
		if (t->process != r->process)
			return;
		if (t->kind == TURN_ATOMIC || t->window != w->made || t->target != target)
			continue;
		if (t->end.line == HB_NO)
			t->end = here(r);
		return;
	}
}

void hb__on_turn(struct hb__reading *r, const struct hb__function *f)
{
	const hb_row *row = r->event->row;
	struct hb__own_window *w = row->result || f->means->turn == HB_TURN_POINTER ? NULL : hb__own_window(r, f);
	bool every = f->means->does == HB_DOES_WINDOW_LOCK_ALL || f->means->does == HB_DOES_WINDOW_UNLOCK_ALL;
	if (f->means->turn == HB_TURN_LOCK)
		hb__on_window(r, f);
	if (!w || w->made == HB_NO || r->m->no_turns)
		return;
	if (f->means->turn == HB_TURN_UNLOCK) {
		on_unlock(r, w, every ? HB_NONE : r->event->peer);
		return;
	}
	bool locks = f->means->turn == HB_TURN_LOCK;
	if (r->inside || row->nresults != (!locks ? 1 : !every && row->nresults == 4 ? 4 : 2))
		return;
	struct hb__turn t = {.process = r->process,
		.window = w->made,
		.target = every ? HB_NONE : r->event->peer,
		.kind = !locks               ? TURN_ATOMIC
			: every              ? TURN_EVERY
			: row->nresults == 4 ? TURN_EXCLUSIVE
					     : TURN_SHARED,
		.at = here(r),
		.end = {HB_NO, 0}};
	for (uint32_t i = 0; i < row->nresults; i++)
		t.turn[i] = row->results[i];
	if (!VEC_PUSH(&r->m->turns, t))
		r->m->no_memory = true;
}

/* ---- all processes ---- */

static int compare(int64_t a, int64_t b) { return (a > b) - (a < b); }

/* By window; of each MPI_Win_lock_all in their order, then by target exclusive locks, shared ones and operations, in theirs. */
static int by_turn(const void *a, const void *b)
{
	const struct hb__turn *x = a, *y = b;
	int c = compare(x->window, y->window);
	c = c ? c : compare(x->target, y->target);
	c = c ? c : compare(x->kind, y->kind);
	c = c ? c : compare(x->turn[x->kind == TURN_EVERY], y->turn[x->kind == TURN_EVERY]);
	c = c ? c : compare(x->at.line, y->at.line);
	return c ? c : compare(x->at.event, y->at.event);
}

static void edge(hb_model *m, hb_edge_kind kind, hb_at from, hb_at to)
{
	if (from.line == HB_NO || from.line == to.line)
		return;
	if (m->edges.n >> 28 || !VEC_PUSH(&m->edges, ((hb_edge){from, to, kind})))
		m->no_memory = true;
}

/* All of one kind at one target, or without a target. */
struct run {
	const struct hb__turn *at;
	size_t n;
};

static struct run run_from(const hb_model *m, size_t from, size_t end)
{
	struct run r = {m->turns.at + from, 1};
	while (from + r.n < end && r.at[r.n].kind == r.at->kind && r.at[r.n].target == r.at->target)
		r.n++;
	return r;
}

/* The exclusive lock that was the turn-th of its target. */
static const struct hb__turn *exclusive(struct run x, int64_t turn)
{
	size_t from = 0, to = x.n;
	while (from < to) {
		size_t middle = from + (to - from) / 2;
		if (x.at[middle].turn[0] < turn)
			from = middle + 1;
		else
			to = middle;
	}
	return from < x.n && x.at[from].turn[0] == turn ? &x.at[from] : NULL;
}

static void exclusive_ones(hb_model *m, struct run every, struct run x)
{
	int64_t before = 0; /* MPI_Win_lock_all that the exclusive lock before has waited for */
	for (size_t i = 0; i < x.n; i++) {
		const struct hb__turn *t = &x.at[i];
		if (i && t[-1].turn[0] == t->turn[0] - 1)
			edge(m, HB_EDGE_LOCKED, t[-1].end, t->at);
		for (size_t k = 0; k < every.n && every.at[k].turn[1] < t->turn[3]; k++)
			if (every.at[k].turn[1] >= before)
				edge(m, HB_EDGE_LOCKED, every.at[k].end, t->at);
		before = t->turn[3];
	}
}

static void shared_ones(hb_model *m, struct run x, struct run shared)
{
	for (size_t i = 0; i < shared.n; i++) {
		const struct hb__turn *t = &shared.at[i], *last = exclusive(x, t->turn[0] - 1),
				      *next = exclusive(x, t->turn[0]);
		if (last)
			edge(m, HB_EDGE_LOCKED, last->end, t->at);
		if (next)
			edge(m, HB_EDGE_LOCKED, t->end, next->at);
	}
}

/* The last exclusive lock of a target that was granted before each MPI_Win_lock_all. */
static void every_one(hb_model *m, struct run every, struct run x)
{
	for (size_t i = 0; i < every.n; i++) {
		size_t from = 0, to = x.n;
		while (from < to) {
			size_t middle = from + (to - from) / 2;
			if (x.at[middle].turn[2] < every.at[i].turn[0])
				from = middle + 1;
			else
				to = middle;
		}
		if (from)
			edge(m, HB_EDGE_LOCKED, x.at[from - 1].end, every.at[i].at);
	}
}

static void window(hb_model *m, size_t from, size_t end)
{
	struct run every = {NULL, 0}, x = {NULL, 0};
	for (size_t n; from < end; from += n) {
		struct run r = run_from(m, from, end);
		n = r.n;
		if (r.at->kind == TURN_EVERY) {
			every = r;
		} else if (r.at->kind == TURN_EXCLUSIVE) {
			x = r;
			exclusive_ones(m, every, x);
			every_one(m, every, x);
		} else if (r.at->kind == TURN_SHARED) {
			shared_ones(m, x.n && x.at->target == r.at->target ? x : (struct run){NULL, 0}, r);
		} else {
			for (size_t i = 1; i < r.n; i++)
				edge(m, HB_EDGE_TURN, r.at[i - 1].at, r.at[i].at);
		}
	}
}

bool hb__link_turns(hb_model *m)
{
	if (m->turns.n)
		qsort(m->turns.at, m->turns.n, sizeof *m->turns.at, by_turn);
	for (size_t from = 0, end; from < m->turns.n; from = end) {
		for (end = from + 1; end < m->turns.n && m->turns.at[end].window == m->turns.at[from].window;)
			end++;
		window(m, from, end);
	}
	return !m->no_memory;
}
