/* The PAST of one event, and what follows from it: cuts, the order of two events and a proof of it. The PAST is
 * found backwards: for each line the last event that was entered in it, and the exits before
 * that one may bring more of other lines. Every such raise is kept: a proof is read off them. */
#include "model/clock/past.h"

static void raise(struct hb__past *p, hb_at to, hb_at by, hb_link_kind kind, uint32_t id)
{
	struct hb__past_line *l = &p->lines[to.line];
	bool enter = kind != HB_LINK_PROGRAM && kind != HB_LINK_EXIT && kind != HB_LINK_START;
	uint32_t call = to.event;
	to = enter ? hb_entered(p->m, to) : to;
	if (to.event <= l->entered)
		return;
	l->entered = to.event;
	if (!p->forgets && !VEC_PUSH(&l->raises, ((struct hb__raise){to.event, call, by, kind, id})))
		p->no_memory = true;
	if (!l->queued) {
		l->queued = true;
		l->next = p->queue;
		p->queue = to.line;
	}
}

/* The exit is in the PAST. */
static void raise_exit(struct hb__past *p, hb_at to, hb_at by, uint32_t id)
{
	struct hb__past_line *l = &p->lines[to.line];
	raise(p, to, by, HB_LINK_EXIT, id);
	if (to.event <= l->exited)
		return;
	l->exited = to.event;
	if (!l->queued) {
		l->queued = true;
		l->next = p->queue;
		p->queue = to.line;
	}
}

/* What an edge begins at. */
static void raise_edge(struct hb__past *p, hb_at by, uint32_t id)
{
	const hb_edge *e = &p->m->edges.at[id];
	if (hb_edge_from_exit(e->kind))
		raise_exit(p, e->from, by, id);
	else
		raise(p, e->from, by, HB_LINK_EDGE, id);
}

/* The last event whose exit is known to be in the PAST. */
static uint32_t last_exit(const struct hb__past_line *l)
{
	return l->exited >= l->entered ? l->exited : l->entered - 1;
}

struct visit {
	struct hb__past *p;
	hb_at by;
	uint32_t collective;
};

static bool entered_collective(void *user, uint32_t process)
{
	struct visit *v = user;
	hb_at at = hb_collective_enter(v->p->m, v->collective, process);
	if (at.line != HB_NO)
		raise(v->p, at, v->by, HB_LINK_COLLECTIVE, v->collective);
	return true;
}

/* What the exit of an event needs. */
static void need(struct hb__past *p, uint32_t line, const hb_op *o)
{
	hb_model *m = p->m;
	hb_at by = {line, o->event};
	uint32_t send;
	switch ((hb_op_kind)o->kind) {
	case HB_OP_RECEIVED:
		if (m->receives.at[o->id].line != line)
			raise(p, hb_receive_post(m, o->id), by, HB_LINK_REQUEST, o->id);
		send = m->receives.at[o->id].send;
		if (send != HB_NO)
			raise(p, hb_send_at(m, send), by, HB_LINK_MESSAGE, send);
		break;
	case HB_OP_PROBED:
		send = m->probes.at[o->id].send;
		if (send != HB_NO)
			raise(p, hb_send_at(m, send), by, HB_LINK_PROBE, send);
		break;
	case HB_OP_SENT:
		if (m->sends.at[o->id].receive != HB_NO)
			raise(p, hb_receive_post(m, m->sends.at[o->id].receive), by, HB_LINK_SYNC, o->id);
		break;
	case HB_OP_LEAVE: {
		struct visit v = {p, by, o->id};
		hb__collective_needs(m, o->id, m->lines.at[line].process, entered_collective, &v);
		break;
	}
	case HB_OP_TOLD:
		raise_edge(p, by, o->id);
		break;
	default:
		break;
	}
}

size_t hb__first_op(const struct hb__line *l, uint32_t event)
{
	size_t low = 0, high = l->ops.n;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (l->ops.at[mid].event < event)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

struct visit_enters {
	struct hb__past *p;
	hb_at by;
	uint32_t collective;
	const hb_at *at; /* by process */
};

static bool entered_there(void *user, uint32_t process)
{
	struct visit_enters *v = user;
	if (v->at[process].line != HB_NO)
		raise(v->p, v->at[process], v->by, HB_LINK_COLLECTIVE, v->collective);
	return true;
}

static void need_collective(struct hb__past *p, hb_at by, uint32_t id)
{
	struct visit_enters v = {p, by, id, hb__needs_enters(p->needs, id)};
	hb_collective collective = hb__part_collective(p->m, id);
	if (v.at)
		hb__order_needs(p->m, &collective, p->m->lines.at[by.line].process, entered_there, &v);
	else
		p->no_memory = true;
}

/* The same of a divided model: what the exits need comes from whom the line belongs to. */
static void scan_divided(struct hb__past *p, uint32_t line, uint32_t to)
{
	size_t n = 0;
	const struct hb__need *needs = hb__needs_up_to(p->needs, line, to, &n);
	p->no_memory = p->no_memory || !needs;
	for (size_t i = needs ? n : 0; i-- > 0;) {
		hb_at by = {line, needs[i].event};
		if (needs[i].kind == HB_LINK_COLLECTIVE)
			need_collective(p, by, needs[i].id);
		else if (needs[i].kind == HB_LINK_EXIT)
			raise_exit(p, needs[i].at, by, needs[i].id);
		else
			raise(p, needs[i].at, by, (hb_link_kind)needs[i].kind, needs[i].id);
	}
}

/* The exits of the events from..to of a line, the last first: it brings most. */
static void scan(struct hb__past *p, uint32_t line, uint32_t from, uint32_t to)
{
	if (p->needs) {
		scan_divided(p, line, to);
		return;
	}
	const struct hb__line *l = &p->m->line_more.at[line];
	for (size_t i = hb__first_op(l, to + 1); i-- > 0 && l->ops.at[i].event >= from;)
		need(p, line, &l->ops.at[i]);
}

/* The exit of an event of another thread, too. */
static void reach(struct hb__past *p, hb_at at, hb_at by)
{
	struct hb__past_line *l = &p->lines[at.line];
	uint32_t from = l->scanned + 1;
	raise(p, at, by, HB_LINK_START, 0);
	if (at.event >= from) {
		l->scanned = at.event;
		scan(p, at.line, from, at.event);
	}
}

/* The threads that were over when the first one of the process got where it is. */
static void reach_joined(struct hb__past *p, uint32_t line)
{
	const hb_process *process = &p->m->processes.at[p->m->lines.at[line].process];
	for (uint32_t i = 1; i < process->nlines && process->first_line == line; i++) {
		uint32_t joined = p->m->line_more.at[line + i].joined;
		if (joined && joined <= p->lines[line].entered)
			reach(p, (hb_at){line + i, p->m->lines.at[line + i].events}, (hb_at){line, joined});
	}
}

static void begin_thread(struct hb__past *p, uint32_t line)
{
	uint32_t init = p->m->line_more.at[line].init;
	uint32_t first = p->m->processes.at[p->m->lines.at[line].process].first_line;
	for (uint32_t i = 0; i < p->m->line_more.at[line].borns; i++)
		raise_edge(p, (hb_at){line, 1}, p->m->line_more.at[line].born + i);
	if (p->starts && first != line)
		reach(p, (hb_at){first, p->m->line_more.at[line].started}, (hb_at){line, 1});
	if (!init || first == line)
		return;
	p->lines[first].left = init;
	raise(p, (hb_at){first, init}, (hb_at){line, 1}, HB_LINK_START, 0);
}

/* The call that posts behind an operation: events that are operations stand between. */
static uint32_t posted_in(const hb_model *m, uint32_t line, uint32_t event)
{
	const struct hb__line *l = &m->line_more.at[line];
	size_t low = hb__operations_behind(l, event);
	for (event++; low < l->operations.n && l->operations.at[low].event == event; low++)
		event++;
	uint32_t events = m->lines.at[line].events + (m->lines.at[line].inside ? 1 : 0);
	return event < events ? event : events;
}

/* A replay lets a thread post when those have posted that did so before. */
static void reach_posted(struct hb__past *p, uint32_t line)
{
	const struct hb__line *l = &p->m->line_more.at[line];
	struct hb__past_line *at = &p->lines[line];
	for (; at->ordered < l->operations.n && l->operations.at[at->ordered].event <= at->entered; at->ordered++) {
		const struct hb__operation *o = &l->operations.at[at->ordered];
		if (!o->posts || o->line == HB_NO || o->line == line)
			continue;
		hb_at by = {line, o->event};
		raise(p, (hb_at){o->line, posted_in(p->m, o->line, o->after)}, by, HB_LINK_START, 0);
	}
}

/* Backwards from one event: a line is scanned only as far as something in the past of `at` reaches into it, and once more from there
 * when something reaches further. Each event is looked at once, so a small past of a long run costs what is in it. */
static hb_status find_past(hb_model *m, hb_at at, bool exit, bool starts, struct hb__past *ret, hb_error *err)
{
	struct hb__past *p = ret;
	*p = (struct hb__past){.m = m, .queue = HB_NO, .starts = starts};
	p->lines = calloc(m->lines.n + 1, sizeof *p->lines);
	p->needs = m->part ? hb__needs_open(m) : NULL;
	p->forgets = !hb__part_first(m);
	if (!p->lines || (m->part && !p->needs))
		return hb__no_memory(err);
	raise(p, exit ? at : hb_entered(m, at), at, HB_LINK_PROGRAM, 0);
	if (exit) {
		p->lines[at.line].scanned = at.event;
		scan(p, at.line, 1, at.event);
		begin_thread(p, at.line);
	}
	while (p->queue != HB_NO && !p->no_memory) {
		uint32_t line = p->queue;
		struct hb__past_line *l = &p->lines[line];
		p->queue = l->next;
		l->queued = false;
		uint32_t from = l->scanned + 1, to = last_exit(l);
		if (!l->begun)
			begin_thread(p, line);
		l->begun = true;
		if (p->starts) {
			reach_joined(p, line);
			reach_posted(p, line);
		}
		if (to >= from) {
			l->scanned = to;
			scan(p, line, from, to);
		}
	}
	return p->no_memory ? hb__no_memory(err) : HB_OK;
}

hb_status hb__past_of(hb_model *m, hb_at at, bool exit, struct hb__past *ret, hb_error *err)
{
	return find_past(m, at, exit, false, ret, err);
}

/* ---- the same from kept Lamport times ---- */

/* An exit needs no enter with a later time. So exits are gone through back to some time, and further back only as long as an
 * enter that is not known to be in the PAST could still be needed by an earlier exit. */
struct back {
	struct hb__past *p;
	hb_at at;
	hb_exit_time *time;
	void *user;
	uint64_t from; /* exits of this time and later have been looked at ... */
	uint32_t *low; /* ... by line: from this event to `scanned` */
};

/* The first event of a line whose exit comes at a time or later. */
static uint32_t event_from(const struct back *b, uint32_t line, uint64_t time)
{
	uint32_t low = 1, high = b->p->m->lines.at[line].events + 1;
	while (low < high) {
		uint32_t mid = low + (high - low) / 2;
		if (b->time(b->user, (hb_at){line, mid}) < time)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static void scan_back(struct back *b, uint32_t line)
{
	struct hb__past_line *l = &b->p->lines[line];
	uint32_t low = event_from(b, line, b->from), high = line == b->at.line ? b->at.event : last_exit(l);
	if (high < low)
		return;
	if (!l->scanned) {
		scan(b->p, line, low, high);
		b->low[line] = low;
	} else {
		if (high > l->scanned)
			scan(b->p, line, l->scanned + 1, high);
		if (low < b->low[line]) {
			scan(b->p, line, low, b->low[line] - 1);
			b->low[line] = low;
		}
	}
	l->scanned = high > l->scanned ? high : l->scanned;
}

static void drain(struct back *b)
{
	struct hb__past *p = b->p;
	while (p->queue != HB_NO && !p->no_memory) {
		uint32_t line = p->queue;
		p->queue = p->lines[line].next;
		p->lines[line].queued = false;
		if (!p->lines[line].begun)
			begin_thread(p, line);
		p->lines[line].begun = true;
		scan_back(b, line);
	}
}

/* Whether an exit before the time looked back to could need an enter that is not known. Then all lines are looked at again. */
static bool further(struct back *b)
{
	struct hb__past *p = b->p;
	bool more = false;
	for (uint32_t line = 0; b->from && line < p->m->lines.n && !more; line++) {
		uint32_t entered = p->lines[line].entered;
		uint64_t next = entered ? b->time(b->user, (hb_at){line, entered}) + 1 : 1;
		more = entered < p->m->lines.at[line].events && line != b->at.line && next < b->from;
	}
	for (uint32_t line = 0; more && line < p->m->lines.n; line++)
		if (p->lines[line].entered && !p->lines[line].queued) {
			p->lines[line].queued = true;
			p->lines[line].next = p->queue;
			p->queue = line;
		}
	return more;
}

static hb_status past_by(hb_model *m, hb_at at, hb_exit_time *time, void *user, struct hb__past *ret, hb_error *err)
{
	struct hb__past *p = ret;
	*p = (struct hb__past){.m = m, .queue = HB_NO};
	struct back b = {.p = p, .at = at, .time = time, .user = user};
	p->lines = calloc(m->lines.n + 1, sizeof *p->lines);
	b.low = calloc(m->lines.n + 1, sizeof *b.low);
	uint64_t exit = time(user, at);
	p->no_memory = !p->lines || !b.low;
	if (!p->no_memory)
		raise(p, at, at, HB_LINK_PROGRAM, 0);
	for (uint64_t back = 64; !p->no_memory; back *= 4) {
		b.from = exit > back ? exit - back : 0;
		drain(&b);
		if (!further(&b))
			break;
	}
	free(b.low);
	return p->no_memory ? hb__no_memory(err) : HB_OK;
}

void hb__past_free(struct hb__past *p)
{
	for (size_t i = 0; p->lines && i < p->m->lines.n; i++)
		free(p->lines[i].raises.at);
	free(p->lines);
	hb__needs_close(p->needs);
}

/* ---- cuts ---- */

struct inside {
	const struct hb__past *p;
	uint32_t collective;
	bool missing;
};

static bool in_past(void *user, uint32_t process)
{
	struct inside *in = user;
	hb_at at = hb_collective_enter(in->p->m, in->collective, process);
	if (at.line != HB_NO && hb_entered(in->p->m, at).event > in->p->lines[at.line].entered)
		in->missing = true;
	return !in->missing;
}

static bool known(const struct hb__past *p, hb_at at)
{
	return hb_entered(p->m, at).event <= p->lines[at.line].entered;
}

static bool left(const struct hb__past *p, hb_at at) { return at.event <= last_exit(&p->lines[at.line]); }

static bool satisfied(const struct hb__past *p, uint32_t line, const hb_op *o)
{
	const hb_model *m = p->m;
	uint32_t other;
	switch ((hb_op_kind)o->kind) {
	case HB_OP_RECEIVED:
		if (m->receives.at[o->id].line != line && !known(p, hb_receive_post(m, o->id)))
			return false;
		other = m->receives.at[o->id].send;
		return other == HB_NO || known(p, hb_send_at(m, other));
	case HB_OP_PROBED:
		other = m->probes.at[o->id].send;
		return other == HB_NO || known(p, hb_send_at(m, other));
	case HB_OP_SENT:
		other = m->sends.at[o->id].receive;
		return other == HB_NO || known(p, hb_receive_post(m, other));
	case HB_OP_LEAVE: {
		struct inside in = {p, o->id, false};
		hb__collective_needs(m, o->id, m->lines.at[line].process, in_past, &in);
		return !in.missing;
	}
	case HB_OP_TOLD:
		return hb_edge_from_exit(m->edges.at[o->id].kind) ? left(p, m->edges.at[o->id].from)
								  : known(p, m->edges.at[o->id].from);
	default:
		return true;
	}
}

/* Whether the exit of the event needs nothing outside the PAST. */
static bool can_leave(const struct hb__past *p, uint32_t line, uint32_t event)
{
	const struct hb__line *l = &p->m->line_more.at[line];
	for (size_t i = hb__first_op(l, event); i < l->ops.n && l->ops.at[i].event == event; i++)
		if (!satisfied(p, line, &l->ops.at[i]))
			return false;
	return true;
}

/* What the PAST makes of each line, unless finding it has failed. Frees it. */
static hb_status cut(hb_status status, struct hb__past *p, uint32_t *ret_event, hb_stop *ret_stop)
{
	const hb_model *m = p->m;
	for (uint32_t l = 0; !status && l < m->lines.n; l++) {
		uint32_t event = p->lines[l].entered;
		const hb_line *line = &m->lines.at[l];
		bool last = event == line->events, never = last && line->inside;
		ret_event[l] = event;
		ret_stop[l] = !event                             ? HB_STOP_NOTHING
			      : never || !can_leave(p, l, event) ? HB_STOP_INSIDE
			      : last                             ? HB_STOP_END
								 : HB_STOP_AFTER;
	}
	hb__past_free(p);
	return status;
}

hb_status hb_cut(hb_model *m, hb_at at, uint32_t *ret_event, hb_stop *ret_stop, hb_error *err)
{
	struct hb__past p;
	return cut(find_past(m, at, true, false, &p, err), &p, ret_event, ret_stop);
}

hb_status hb_known(hb_model *m, hb_at at, uint32_t line, uint32_t *ret_events, hb_error *err)
{
	struct hb__past p;
	hb_status status = find_past(m, at, true, false, &p, err);
	*ret_events = status ? 0 : p.lines[line].entered;
	hb__past_free(&p);
	return status;
}

hb_status hb_cut_by(
	hb_model *m, hb_at at, hb_exit_time *time, void *user, uint32_t *ret_event, hb_stop *ret_stop, hb_error *err)
{
	struct hb__past p;
	return cut(past_by(m, at, time, user, &p, err), &p, ret_event, ret_stop);
}

hb_status hb_stops(hb_model *m, hb_at at, uint32_t *ret_event, hb_stop *ret_stop, hb_error *err)
{
	struct hb__past p;
	return cut(find_past(m, at, true, true, &p, err), &p, ret_event, ret_stop);
}

struct future {
	hb_at at;
	const hb_model *m;
	uint32_t *first;
};

static bool look(void *user, const hb_stamp *stamp)
{
	struct future *f = user;
	const hb_line *line = &f->m->lines.at[stamp->at.line];
	bool exits = !line->inside || stamp->at.event < line->events;
	if (!f->first[stamp->at.line] && exits && stamp->clock[f->at.line] >= f->at.event)
		f->first[stamp->at.line] = stamp->at.event;
	return true;
}

hb_status hb_future(hb_model *m, hb_at at, uint32_t *ret_first, hb_error *err)
{
	struct future f = {hb_entered(m, at), m, ret_first};
	memset(ret_first, 0, m->lines.n * sizeof *ret_first);
	return hb_clocks_run(m, look, &f, NULL, NULL, err);
}
