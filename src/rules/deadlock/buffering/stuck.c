/* Where the run with synchronous sends is stuck: a cycle of lines, and what is said of it. */
#include <stdio.h>

#include "rules/deadlock/buffering/replay.h"

/* The line's call, as recorded, might have been answered otherwise: then it is not known to be stuck. */
static bool unsure(const struct hb__replay *r, const hb_op *op)
{
	const hb_receive *v = op->kind == HB_OP_RECEIVED ? &hb_model_receives(r->m)[op->id] : NULL;
	const hb_probe *p = op->kind == HB_OP_PROBED ? &hb_model_probes(r->m)[op->id] : NULL;
	if (!v && !p)
		return false;
	const hb_spec *s = &hb_model_specs(r->m)[v ? v->spec : p->spec];
	if ((v ? v->flags : p->flags) & (HB_AMBIGUOUS | HB_CHOSEN) || s->any_source || s->tag == HB_ANY_TAG)
		return true;
	const hb_function *f = p ? hb_log_function(hb_model_processes(r->m)[s->process].log, s->function) : NULL;
	return f && f->name && hb_meaning_of(f->name, f->cls)->flags & HB_POLL;
}

struct search {
	struct hb__replay *r;
	uint32_t *from;   /* by line: 1 + the line that waits for it */
	const hb_op **by; /* ... at this operation */
	uint32_t *queue, end;
};

static bool stuck(const struct search *s, uint32_t l)
{
	uint64_t k = 0;
	const hb_op *op;
	if (!s->r->line[l].waits)
		return false;
	while ((op = hb__replay_obstacle(s->r, l, &k)))
		if (unsure(s->r, op))
			return false;
	return true;
}

static bool reach(struct search *s, uint32_t from, uint32_t to, const hb_op *op, uint32_t goal)
{
	if (s->from[to] || !stuck(s, to))
		return false;
	s->from[to] = from + 1;
	s->by[to] = op;
	if (to == goal)
		return true;
	s->queue[s->end++] = to;
	return false;
}

static bool reach_missing(struct search *s, uint32_t from, const hb_op *op, uint32_t goal)
{
	const hb_group *g = &hb_model_groups(s->r->m)[hb_model_collectives(s->r->m)[op->id].group];
	for (uint32_t i = 0; i < g->size + g->remote_size; i++) {
		uint32_t p = i < g->size ? g->member[i] : g->remote[i - g->size];
		hb_at at = p == HB_NO ? (hb_at){HB_NO, 0} : hb_collective_enter(s->r->m, op->id, p);
		if (at.line == HB_NO)
			continue;
		const struct hb__replayed_line *n = &s->r->line[at.line];
		bool there = n->over || n->event > at.event || (n->event == at.event && n->entered);
		if (!there && reach(s, from, at.line, op, goal))
			return true;
	}
	return false;
}

/* The lines that have to get on first. */
static bool expand(struct search *s, uint32_t l, uint32_t goal)
{
	uint64_t k = 0;
	const hb_op *op;
	while ((op = hb__replay_obstacle(s->r, l, &k))) {
		uint32_t other = HB_NO, send;
		if (op->kind == HB_OP_LEAVE) {
			if (reach_missing(s, l, op, goal))
				return true;
			continue;
		}
		if (op->kind == HB_OP_SENT) {
			other = hb_model_receives(s->r->m)[hb_model_sends(s->r->m)[op->id].receive].line;
		} else {
			send = op->kind == HB_OP_PROBED ? hb_model_probes(s->r->m)[op->id].send
							: hb_model_receives(s->r->m)[op->id].send;
			other = hb_model_sends(s->r->m)[send].line;
		}
		if (reach(s, l, other, op, goal))
			return true;
	}
	return false;
}

static bool back(struct search *s, uint32_t start)
{
	memset(s->from, 0, s->r->nlines * sizeof *s->from);
	s->end = 0;
	s->queue[s->end++] = start;
	for (uint32_t begin = 0; begin < s->end; begin++)
		if (expand(s, s->queue[begin], start))
			return true;
	return false;
}

hb_status hb__replay_cycle(struct hb__replay *r, struct hb__replay_step *ret, uint32_t *ret_n)
{
	enum { STARTS = 64 }; /* lines from which a cycle is looked for */
	struct search s = {r, malloc(((size_t)r->nlines + 1) * sizeof *s.from),
		malloc(((size_t)r->nlines + 1) * sizeof *s.by), malloc(((size_t)r->nlines + 1) * sizeof *s.queue), 0};
	uint32_t n = 0, tries = 0;
	bool memory = s.from && s.by && s.queue;
	for (uint32_t l = 0; l < r->nlines && !n && memory && tries < STARTS; l++) {
		if (!stuck(&s, l) || (tries++, !back(&s, l)))
			continue;
		uint32_t at = l;
		do { /* backwards: who waits for `at`, and by which operation */
			ret[n++] = (struct hb__replay_step){s.from[at] - 1, s.by[at]};
			at = s.from[at] - 1;
		} while (at != l);
		for (uint32_t i = 0; i < n / 2; i++) {
			struct hb__replay_step t = ret[i];
			ret[i] = ret[n - 1 - i];
			ret[n - 1 - i] = t;
		}
	}
	*ret_n = n;
	free(s.from);
	free(s.by);
	free(s.queue);
	return memory ? HB_OK : HB_E_MEMORY;
}

/* ---- the finding ---- */

/* The call at an event: its name and site. */
static hb_point point_at(const struct hb__replay *r, hb_at at)
{
	const hb_line *line = &hb_model_lines(r->m)[at.line];
	hb_log *log = hb_model_processes(r->m)[line->process].log;
	hb_point p = {.process = line->process, .at = at};
	hb_events *events;
	hb_event e;
	if (!log || hb_events_open_at(log, line->lane, at.event, &events, NULL))
		return p;
	if (hb_events_next(events, &e, NULL) == 1) {
		p.site = e.row->site;
		if (e.function && e.function->name)
			strncpy(p.function, e.function->name, sizeof p.function - 1);
	}
	hb_events_close(events);
	return p;
}

static const char *name_of(const struct hb__replay *r, uint32_t line)
{
	return hb_model_processes(r->m)[hb_model_lines(r->m)[line].process].name;
}

static void describe(const struct hb__replay *r, const struct hb__replay_step *step, uint32_t next, hb_point *p)
{
	const hb_channel *channel = hb_model_channels(r->m);
	const hb_send *send = hb_model_sends(r->m);
	uint32_t id = step->op->id;
	const char *other = name_of(r, next);
	switch (step->op->kind) {
	case HB_OP_SENT:
		snprintf(p->role, sizeof p->role, "would wait for rank %s to receive tag %d", other,
			channel[send[id].channel].tag);
		return;
	case HB_OP_LEAVE:
		snprintf(p->role, sizeof p->role, "would wait for rank %s to take part", other);
		return;
	case HB_OP_PROBED:
		id = hb_model_probes(r->m)[id].send;
		break;
	default:
		id = hb_model_receives(r->m)[id].send;
		break;
	}
	snprintf(
		p->role, sizeof p->role, "would wait for rank %s to send tag %d", other, channel[send[id].channel].tag);
}

hb_status hb__replay_report(
	struct hb__replay *r, hb_case *c, const struct hb__replay_step *step, uint32_t n, hb_error *err)
{
	enum { POINTS = 12, DETAILS = 3 };
	hb_point point[POINTS];
	char text[900] = "";
	size_t used = 0;
	bool sends = false, self = n == 1;
	uint32_t low = 0, points = 0;
	for (uint32_t i = 1; i < n; i++)
		low = step[i].line < step[low].line ? i : low;
	for (uint32_t k = 0; k < n; k++) {
		const struct hb__replay_step *s = &step[(low + k) % n];
		sends |= s->op->kind == HB_OP_SENT;
		if (points == POINTS)
			continue;
		hb_point *p = &point[points++];
		*p = point_at(r, (hb_at){s->line, r->line[s->line].event});
		describe(r, s, step[(low + k + 1) % n].line, p);
		if (k < DETAILS && used < sizeof text)
			used += (size_t)snprintf(text + used, sizeof text - used, "%srank %s in %s %s", k ? ", " : "",
				name_of(r, s->line), p->function, p->role);
	}
	if (n > DETAILS && used < sizeof text)
		snprintf(text + used, sizeof text - used, ", and %u more", n - DETAILS);
	return hb__finding(c, HB_DEADLOCK_POTENTIAL, false,
		sends ? "A send may wait until its receive is posted. Let one of them receive first, post the receives "
			"before the sends (MPI_Irecv), or use MPI_Sendrecv or MPI_Bsend."
		      : "A collective may wait until all processes have called it. Call it in the same order everywhere.",
		point, points, err, "%s: %s",
		!sends ? "this worked only because a collective did not wait for all processes"
		: self ? "a message to itself works only because it is buffered"
		       : "these sends work only because they are buffered",
		text);
}
