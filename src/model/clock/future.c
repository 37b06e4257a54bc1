/* The future of an event, found forwards: exits are gone through in the order of their Lamport times, all lines side by side, until
 * every line has felt the event. An exit needs enters, and an enter follows an exit of its line with an earlier time: so what an
 * exit needs is known when its turn comes. */
#include "model/clock/clock.h"

struct line {
	size_t op;     /* the next one to look at */
	uint64_t time; /* of the exit of its event */
};

struct future {
	hb_model *m;
	hb_at at;
	hb_exit_time *time;
	void *user;
	uint32_t *first; /* by line: the first exit that felt it; 0: none yet ... */
	uint32_t *from;  /* ... and the first enter */
	struct line *lines;
	uint32_t *heap; /* lines by time */
	uint32_t n;
};

/* ---- what has felt it ---- */

static bool exits(const hb_line *line, uint32_t event) { return !line->inside || event < line->events; }

static bool felt(const struct future *f, hb_at enter)
{
	return f->first[enter.line] && hb_entered(f->m, enter).event >= f->from[enter.line];
}

/* Its exit. */
static bool has_left(const struct future *f, hb_at at) { return f->first[at.line] && at.event >= f->first[at.line]; }

struct visit {
	const struct future *f;
	uint32_t collective;
	bool felt;
};

static bool entered(void *user, uint32_t process)
{
	struct visit *v = user;
	hb_at at = hb_collective_enter(v->f->m, v->collective, process);
	v->felt = at.line != HB_NO && felt(v->f, at);
	return !v->felt;
}

/* Whether the exit needs an enter that has felt it. */
static bool feels(const struct future *f, uint32_t line, const hb_op *o)
{
	const hb_model *m = f->m;
	uint32_t other;
	switch ((hb_op_kind)o->kind) {
	case HB_OP_RECEIVED:
		if (m->receives.at[o->id].line != line && felt(f, hb_receive_post(m, o->id)))
			return true;
		other = m->receives.at[o->id].send;
		return other != HB_NO && felt(f, hb_send_at(m, other));
	case HB_OP_PROBED:
		other = m->probes.at[o->id].send;
		return other != HB_NO && felt(f, hb_send_at(m, other));
	case HB_OP_SENT:
		other = m->sends.at[o->id].receive;
		return other != HB_NO && felt(f, hb_receive_post(m, other));
	case HB_OP_LEAVE: {
		struct visit v = {f, o->id, false};
		hb__collective_needs(m, o->id, m->lines.at[line].process, entered, &v);
		return v.felt;
	}
	case HB_OP_TOLD:
		return hb_edge_from_exit(m->edges.at[o->id].kind) ? has_left(f, m->edges.at[o->id].from)
								  : felt(f, m->edges.at[o->id].from);
	default:
		return false;
	}
}

/* ---- lines by time ---- */

static void sink(struct future *f, uint32_t i)
{
	for (uint32_t k; (k = 2 * i + 1) < f->n; i = k) {
		if (k + 1 < f->n && f->lines[f->heap[k + 1]].time < f->lines[f->heap[k]].time)
			k++;
		if (f->lines[f->heap[i]].time <= f->lines[f->heap[k]].time)
			return;
		uint32_t line = f->heap[i];
		f->heap[i] = f->heap[k];
		f->heap[k] = line;
	}
}

/* To the next operation of a line that an exit may wait for, from its place on. False: there is none. */
static bool advance(struct future *f, uint32_t line)
{
	const struct hb__line *l = &f->m->line_more.at[line];
	struct line *at = &f->lines[line];
	for (; at->op < l->ops.n; at->op++) {
		const hb_op *o = &l->ops.at[at->op];
		if (o->kind == HB_OP_SEND || o->kind == HB_OP_POST || o->kind == HB_OP_ENTER || o->kind == HB_OP_TELL ||
			o->kind == HB_OP_PASS)
			continue;
		if (!exits(&f->m->lines.at[line], o->event))
			return false;
		at->time = f->time(f->user, (hb_at){line, o->event});
		return true;
	}
	return false;
}

/* The first operation whose exit comes at `time` or later. */
static size_t begin(const struct future *f, uint32_t line, uint64_t time)
{
	const struct hb__line *l = &f->m->line_more.at[line];
	size_t low = 0, high = l->ops.n;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		hb_at at = {line, l->ops.at[mid].event};
		if (exits(&f->m->lines.at[line], at.event) && f->time(f->user, at) < time)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* ---- the sweep ---- */

static void feel_born(struct future *f, uint32_t line, uint32_t child);

static void feel(struct future *f, uint32_t line, uint32_t event, uint32_t from)
{
	const hb_process *process = &f->m->processes.at[f->m->lines.at[line].process];
	f->first[line] = event;
	f->from[line] = from;
	/* all that the other threads do comes after MPI_Init has returned */
	for (uint32_t i = 1; line == process->first_line && i < process->nlines; i++) {
		uint32_t init = f->m->line_more.at[line + i].init;
		if (init && event <= init && f->m->lines.at[line + i].events)
			f->first[line + i] = f->from[line + i] = 1;
	}
	for (uint32_t i = 0; i < f->m->born_lines.n; i++)
		feel_born(f, line, f->m->born_lines.at[i]);
}

/* All that a process does comes after what made it. */
static void feel_born(struct future *f, uint32_t line, uint32_t child)
{
	const struct hb__line *l = &f->m->line_more.at[child];
	for (uint32_t i = 0; i < l->borns && !f->first[child] && f->m->lines.at[child].events; i++) {
		const hb_edge *e = &f->m->edges.at[l->born + i];
		bool exit = hb_edge_from_exit(e->kind);
		if (e->from.line == line && (exit ? has_left(f, e->from) : felt(f, e->from)))
			feel(f, child, 1, 1);
	}
}

static void sweep(struct future *f)
{
	/* an enter comes one after the exit before it */
	uint64_t time = f->at.event > 1 ? f->time(f->user, (hb_at){f->at.line, f->at.event - 1}) + 1 : 0;
	for (uint32_t l = 0; l < f->m->lines.n; l++) {
		if (f->first[l])
			continue;
		f->lines[l].op = begin(f, l, time);
		if (advance(f, l))
			f->heap[f->n++] = l;
	}
	for (uint32_t i = f->n; i-- > 0;)
		sink(f, i);
	while (f->n) {
		uint32_t line = f->heap[0];
		const hb_op *o = &f->m->line_more.at[line].ops.at[f->lines[line].op];
		if (!f->first[line] && feels(f, line, o))
			feel(f, line, o->event, o->event + 1);
		f->lines[line].op++;
		if (f->first[line] || !advance(f, line))
			f->heap[0] = f->heap[--f->n];
		sink(f, 0);
	}
}

hb_status hb_future_by(hb_model *m, hb_at at, hb_exit_time *time, void *user, uint32_t *ret_first, hb_error *err)
{
	at = hb_entered(m, at);
	struct future f = {.m = m, .at = at, .time = time, .user = user, .first = ret_first};
	memset(ret_first, 0, m->lines.n * sizeof *ret_first);
	f.lines = calloc(m->lines.n + 1, sizeof *f.lines);
	f.heap = calloc(m->lines.n + 1, sizeof *f.heap);
	f.from = calloc(m->lines.n + 1, sizeof *f.from);
	bool memory = f.lines && f.heap && f.from;
	if (memory) {
		feel(&f, at.line, at.event, at.event);
		sweep(&f);
		/* a call that never returned has no exit to feel anything */
		for (uint32_t l = 0; l < m->lines.n; l++)
			if (ret_first[l] && !exits(&m->lines.at[l], ret_first[l]))
				ret_first[l] = 0;
	}
	free(f.lines);
	free(f.heap);
	free(f.from);
	return memory ? HB_OK : hb__no_memory(err);
}
