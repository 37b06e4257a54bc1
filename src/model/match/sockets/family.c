/* Processes that make others, start other programs, and wait for their end: who that is tells the number that the system gave it, and the time. */
#include "model/match/sockets/sockets.h"

/* A log of the process with that number on a host. */
struct life {
	uint32_t clock, pid, process;
	int64_t began;
	uint64_t started; /* of the process, in ticks since the machine was; 0: not known */
	uint32_t fork;    /* 1 + the one that made it; 0: none that is recorded */
};

static int by_number(const void *a, const void *b)
{
	const struct life *x = a, *y = b;
	if (x->clock != y->clock)
		return x->clock < y->clock ? -1 : 1;
	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	if (x->began != y->began)
		return x->began < y->began ? -1 : 1;
	return x->process < y->process ? -1 : x->process > y->process;
}

struct lives {
	struct hb__sockets *s;
	struct life *at;
	size_t n;
};

static uint64_t started(const hb_log *log)
{
	const hb_ancestor *a, *last = NULL;
	for (uint32_t i = 0; (a = hb_log_ancestor(log, i)); i++)
		last = a;
	return last ? last->started : 0;
}

static bool list(struct hb__sockets *s, struct lives *ret)
{
	const hb_model *m = s->m;
	*ret = (struct lives){.s = s, .at = calloc(m->processes.n + 1, sizeof *ret->at)};
	for (uint32_t i = 0; ret->at && i < m->processes.n; i++) {
		const hb_log *log = m->processes.at[i].log;
		const hb_log_info *info = log ? hb_log_get_info(log) : NULL;
		if (info)
			ret->at[ret->n++] = (struct life){
				hb__clock_of(s, i), info->pid, i, (int64_t)info->origin_mono, started(log), 0};
	}
	if (ret->n)
		qsort(ret->at, ret->n, sizeof *ret->at, by_number);
	return ret->at;
}

/* The first that began at a time or later, of those with the number; the end of the list, or of another number: none. */
static size_t begun_from(const struct lives *l, uint32_t clock, int64_t pid, int64_t time)
{
	struct life wanted = {.clock = clock, .pid = (uint32_t)pid, .began = time};
	size_t low = 0, high = l->n;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (by_number(&l->at[mid], &wanted) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static bool is(const struct lives *l, size_t i, uint32_t clock, int64_t pid)
{
	return i < l->n && l->at[i].clock == clock && l->at[i].pid == (uint32_t)pid;
}

static void edge(hb_model *m, hb_edge_kind kind, hb_at from, hb_at to)
{
	if (m->edges.n >> 28 || !VEC_PUSH(&m->edges, ((hb_edge){from, to, kind})))
		m->no_memory = true;
}

/* The last event of a line that has an exit; 0: none. */
static uint32_t last_exit(const hb_line *l) { return l->events - (l->inside && l->events); }

/* ---- what begins ---- */

/* Edges to a line stand one after the other: they are made line by line. */
static void born(hb_model *m, uint32_t line, size_t first)
{
	struct hb__line *l = &m->line_more.at[line];
	l->born = (uint32_t)first;
	l->borns = (uint32_t)(m->edges.n - first);
	if (l->borns && !VEC_PUSH(&m->born_lines, line))
		m->no_memory = true;
}

static void begin(struct lives *l, const struct life *life, const struct life *before)
{
	hb_model *m = l->s->m;
	const hb_process *p = &m->processes.at[life->process];
	const struct hb__family_call *fork = life->fork && !before ? &l->s->forks.at[life->fork - 1] : NULL;
	for (uint32_t line = p->first_line; line < p->first_line + p->nlines; line++) {
		size_t first = m->edges.n;
		const hb_process *old = before ? &m->processes.at[before->process] : NULL;
		if (!m->lines.at[line].events)
			continue;
		if (fork) {
			const struct hb__talk *t = hb__talk_of(l->s, fork->talk);
			edge(m, HB_EDGE_FORKED, (hb_at){t->line, t->event}, (hb_at){line, 1});
		}
		for (uint32_t k = 0; old && k < old->nlines; k++) {
			uint32_t last = last_exit(&m->lines.at[old->first_line + k]);
			if (last)
				edge(m, HB_EDGE_EXECED, (hb_at){old->first_line + k, last}, (hb_at){line, 1});
		}
		born(m, line, first);
	}
}

/* Of two logs with one number the later is another program of the same process, unless that is another process: made by another call, started at
 * another time, or the first one was told to have ended in between. */
static bool same_process(const struct lives *l, const struct life *a, const struct life *b)
{
	if (a->clock != b->clock || a->pid != b->pid || a->fork != b->fork || a->began == b->began)
		return false;
	if (a->started && b->started)
		return a->started == b->started;
	for (size_t i = 0; i < l->s->waits.n; i++) {
		const struct hb__family_call *w = &l->s->waits.at[i];
		int64_t told = hb__talk_of(l->s, w->talk)->exit;
		if (w->pid == a->pid && hb__clock_of(l->s, w->process) == a->clock && told > a->began &&
			told <= b->began)
			return false;
	}
	return true;
}

static int64_t enter_of(const struct hb__sockets *s, uint32_t fork)
{
	return hb__talk_of(s, s->forks.at[fork].talk)->enter;
}

/* Each log belongs to the last call that made its number before it began. */
static void find_makers(struct lives *l)
{
	for (uint32_t f = 0; f < l->s->forks.n; f++) {
		const struct hb__family_call *call = &l->s->forks.at[f];
		uint32_t clock = hb__clock_of(l->s, call->process);
		int64_t enter = enter_of(l->s, f);
		for (size_t i = begun_from(l, clock, call->pid, enter - HB__SLACK); is(l, i, clock, call->pid); i++) {
			struct life *life = &l->at[i];
			if (life->process != call->process && (!life->fork || enter_of(l->s, life->fork - 1) < enter))
				life->fork = f + 1;
		}
	}
}

/* ---- what ends ---- */

static void end(struct lives *l, const struct hb__family_call *wait)
{
	hb_model *m = l->s->m;
	const struct hb__talk *t = hb__talk_of(l->s, wait->talk);
	uint32_t clock = hb__clock_of(l->s, wait->process);
	size_t next = begun_from(l, clock, wait->pid, t->exit);
	if (!next || !is(l, next - 1, clock, wait->pid) || l->at[next - 1].process == wait->process)
		return;
	const hb_process *p = &m->processes.at[l->at[next - 1].process];
	for (uint32_t line = p->first_line; line < p->first_line + p->nlines; line++) {
		uint32_t last = last_exit(&m->lines.at[line]);
		if (last)
			edge(m, HB_EDGE_ENDED, (hb_at){line, last}, (hb_at){t->line, t->event});
		if (m->lines.at[line].inside)
			edge(m, HB_EDGE_KILLED, (hb_at){line, m->lines.at[line].events}, (hb_at){t->line, t->event});
	}
}

bool hb__link_family(hb_model *m)
{
	struct hb__sockets *s = m->sockets;
	struct lives l;
	if (!s)
		return true;
	if (!list(s, &l))
		return false;
	find_makers(&l);
	for (size_t i = 0; i < l.n && !m->no_memory; i++)
		begin(&l, &l.at[i], i && same_process(&l, &l.at[i - 1], &l.at[i]) ? &l.at[i - 1] : NULL);
	for (size_t i = 0; i < s->waits.n && !m->no_memory; i++)
		end(&l, &s->waits.at[i]);
	free(l.at);
	return !m->no_memory;
}
