/* What the calls that the processes of a replay are in need, by the recording: it tells which message each receive got and who
 * took part in each collective. Who waits for an event that its process has not entered waits for that process; a set of
 * processes each of which waits for one of the set, or for one whose record is over, does not go on (the reduction of
 * src/rules/deadlock, with needs that are known). */
#include <stdlib.h>
#include <string.h>

#include "stall.h"
#include "watch.h"

enum { RUNS, WAITS, OVER };

struct state {
	uint8_t is;
	bool inside, free;
	uint64_t events; /* that returned */
};

struct needs {
	const hb_stall *s;
	hb_run run;
	struct state *line; /* by line of the model */
};

/* Of a process of the model, in the replay; -1: it is not replayed. */
static int32_t number_of(const hb_stall *s, const hb_process *p)
{
	if (*hb_rank_word(p->name) && !p->world && p->rank < s->size)
		return p->rank;
	for (int32_t i = 0; i < s->size; i++)
		if (!strcmp(s->name[i], p->name))
			return i;
	return -1;
}

/* Whether the thread has yet to enter the event; what is done is past all. */
static bool to_come(const struct state *s, uint64_t event) { return event > s->events + (s->inside ? 1 : 0); }

static void set_line(
	const hb_stall *s, int32_t number, const hb_process_now *now, uint32_t lane, bool over, struct state *ret)
{
	*ret = (struct state){.is = OVER};
	for (size_t i = 0; now && i < now->nlanes; i++) {
		if (now->lane[i].is.lane != lane)
			continue;
		ret->events = now->lane[i].is.events;
		ret->inside = now->lane[i].is.inside && !over;
		bool past = !lane && ret->events >= s->last[number];
		if (!over && !now->gone && ret->inside && !past)
			ret->is = WAITS;
	}
}

static void set_lines(const hb_stall *s, const bool *over, struct needs *n)
{
	const hb_model *m = n->run.model;
	for (uint32_t i = 0; i < hb_model_get_info(m)->processes; i++) {
		const hb_process *of = &hb_model_processes(m)[i];
		const hb_process_now *now = NULL;
		int32_t number = number_of(s, of);
		for (size_t k = 0; k < s->lanes.n; k++)
			if (s->lanes.at[k].rank == number)
				now = &s->lanes.at[k];
		for (uint32_t k = 0; k < of->nlines; k++)
			if (number >= 0)
				set_line(s, number, now, hb_model_lines(m)[of->first_line + k].lane, over[number],
					&n->line[of->first_line + k]);
	}
}

/* The first event that the call `at` needs, that has yet to come, of a line that is as asked; false: none. */
struct asked {
	const struct needs *n;
	bool stuck; /* only of lines that do not go on */
	hb_at *ret;
};

static bool is_missing(const struct asked *a, hb_at at)
{
	if (at.line == HB_NO)
		return false;
	const struct state *s = &a->n->line[at.line];
	if (!to_come(s, at.event) || (a->stuck && s->free))
		return false;
	*a->ret = at;
	return true;
}

static bool collective_misses(const struct asked *a, uint32_t id, uint32_t process)
{
	const hb_model *m = a->n->run.model;
	const hb_collective *c = &hb_model_collectives(m)[id];
	const hb_group *g = &hb_model_groups(m)[c->group];
	if (c->order == HB_ORDER_OUT && c->root != HB_NO)
		return c->root != process && is_missing(a, hb_collective_enter(m, id, c->root));
	if (c->order != HB_ORDER_ALL && !(c->order == HB_ORDER_IN && c->root == process))
		return false;
	for (uint32_t i = 0; i < g->size + g->remote_size; i++) {
		uint32_t member = i < g->size ? g->member[i] : g->remote[i - g->size];
		if (member != HB_NO && member != process && is_missing(a, hb_collective_enter(m, id, member)))
			return true;
	}
	return false;
}

static bool op_misses(const struct asked *a, const hb_op *op, uint32_t process)
{
	const hb_model *m = a->n->run.model;
	uint32_t id = op->id;
	switch ((hb_op_kind)op->kind) {
	case HB_OP_RECEIVED:
		id = hb_model_receives(m)[id].send;
		return id != HB_NO && is_missing(a, hb_send_at(m, id));
	case HB_OP_PROBED:
		id = hb_model_probes(m)[id].send;
		return id != HB_NO && is_missing(a, hb_send_at(m, id));
	case HB_OP_SENT:
		id = hb_model_sends(m)[id].receive;
		return id != HB_NO && is_missing(a, hb_receive_post(m, id));
	case HB_OP_SEND: /* one that returns at once is not waited in */
		if (hb_model_sends(m)[id].flags & HB_BUFFERED || hb_model_sends(m)[id].receive == HB_NO)
			return false;
		return is_missing(a, hb_receive_post(m, hb_model_sends(m)[id].receive));
	case HB_OP_LEAVE:
		return collective_misses(a, id, process);
	case HB_OP_TOLD:
		return is_missing(a, hb_model_edges(m)[id].from);
	default:
		return false;
	}
}

static bool call_misses(const struct asked *a, uint32_t line)
{
	const hb_model *m = a->n->run.model;
	uint64_t n, event = a->n->line[line].events + 1;
	const hb_op *ops = hb_model_ops(m, line, &n);
	uint64_t from = 0, to = n;
	while (from < to) {
		uint64_t middle = (from + to) / 2;
		if (ops[middle].event < event)
			from = middle + 1;
		else
			to = middle;
	}
	for (; from < n && ops[from].event == event; from++)
		if (op_misses(a, &ops[from], hb_model_lines(m)[line].process))
			return true;
	return false;
}

/* Whoever waits for nobody that is stuck is free, until no more are. */
static bool reduce(struct needs *n)
{
	const hb_model *m = n->run.model;
	uint32_t lines = hb_model_get_info(m)->lines;
	bool all = true;
	for (bool more = true; more;) {
		more = false;
		for (uint32_t i = 0; i < lines; i++) {
			hb_at at;
			const struct asked a = {n, true, &at};
			if (n->line[i].is != WAITS || n->line[i].free || call_misses(&a, i))
				continue;
			n->line[i].free = more = true;
			all = false;
		}
	}
	return all;
}

/* Function and time of a recorded call; of one that the recorded process did not return from nothing. */
static void fill(const hb_log *log, hb_wait_for *w)
{
	hb_cursor *cursor = NULL;
	hb_row row;
	snprintf(w->call, sizeof w->call, "a call");
	if (log && !hb_cursor_open((hb_log *)log, 0, w->event, &cursor, NULL) &&
		hb_cursor_next(cursor, &row, NULL) == 1) {
		const hb_function *f = hb_log_function(log, row.function);
		if (f && f->name)
			snprintf(w->call, sizeof w->call, "%s", f->name);
		const hb_log_info *info = hb_log_get_info(log);
		if (info->level == HB_LEVEL_EVENTS)
			w->took = (hb_ticks_ns(info, row.exit) - hb_ticks_ns(info, row.enter)) * 1e-9;
	}
	hb_cursor_close(cursor);
}

static void fill_needs(const struct needs *n, uint32_t line, hb_wait_for *w)
{
	const hb_model *m = n->run.model;
	hb_at at;
	const struct asked stuck = {n, true, &at}, any = {n, false, &at};
	w->stuck = !n->line[line].free;
	if (n->line[line].is == WAITS && (w->stuck ? call_misses(&stuck, line) : call_misses(&any, line))) {
		w->needs = number_of(n->s, &hb_model_processes(m)[hb_model_lines(m)[at.line].process]);
		w->needs_event = at.event;
	}
}

/* The first thread of a process, when it is inside a call of which the record knows the end. */
static bool waits_inside(const hb_stall *s, const bool *over, int32_t rank, uint64_t *ret_event)
{
	for (size_t i = 0; i < s->lanes.n; i++)
		for (size_t k = 0; s->lanes.at[i].rank == rank && k < s->lanes.at[i].nlanes; k++) {
			const hb_lane_now *lane = &s->lanes.at[i].lane[k];
			if (lane->is.lane || !lane->is.inside || over[rank] || s->lanes.at[i].gone ||
				lane->is.events >= s->last[rank])
				continue;
			*ret_event = lane->is.events + 1;
			return true;
		}
	return false;
}

size_t hb__needs(const hb_stall *s, const bool *over, hb_wait_for **ret, bool *ret_proven)
{
	struct needs n = {.s = s};
	size_t found = 0;
	hb__live_run(s->recording, &n.run);
	const hb_model *m = n.run.model;
	*ret_proven = false;
	if (m) {
		n.line = hb__alloc((hb_model_get_info(m)->lines + 1) * sizeof *n.line);
		set_lines(s, over, &n);
		*ret_proven = reduce(&n);
	}
	*ret = hb__alloc(((size_t)s->size + 1) * sizeof **ret);
	for (int32_t i = 0; i < s->size; i++) {
		hb_wait_for w = {.rank = i, .took = -1, .needs = -1};
		if (!waits_inside(s, over, i, &w.event))
			continue;
		char *path = hb__format("%s/rank.%d.log", s->script, i);
		hb_log *log;
		bool open = !hb_log_open(path, &log, NULL);
		fill(open ? log : NULL, &w);
		if (open)
			hb_log_close(log);
		free(path);
		for (uint32_t k = 0; m && k < hb_model_get_info(m)->processes; k++) {
			const hb_process *of = &hb_model_processes(m)[k];
			if (number_of(s, of) == i && of->nlines)
				fill_needs(&n, of->first_line, &w);
		}
		(*ret)[found++] = w;
	}
	hb__close_run(&n.run);
	free(n.line);
	return found;
}
