/* The call that each lane is inside of, or polls with, and what it needs. */
#include "rules/deadlock/wait.h"

#define SMALL 4096 /* bytes of a standard send that a library buffers for sure, more or less */

/* ---- needs ---- */

static void need_message(struct hb__graph *g, struct hb__wait *w, const hb_spec *s, uint32_t receive)
{
	struct hb__need need = {HB__WANT_MESSAGE, receive, s->source, s->source, s->group, s->tag};
	if (s->any_source) {
		const hb_group *group = &hb_model_groups(g->m)[s->group];
		bool member = !group->remote_size;
		for (uint32_t i = 0; !member && i < group->remote_size; i++)
			member = group->remote[i] == s->process;
		need.node = hb__any_node(g, s->group, member);
	} else if (hb__unknown(g, s->group, s->source)) { /* it may have sent, or send any time */
		w->done |= true;
		return;
	}
	hb__need(g, w, need);
}

/* The needs of a receive, a send, a collective under way. False: it needs nothing more, or that is not known. */
static bool need_receive(struct hb__graph *g, struct hb__wait *w, uint32_t id)
{
	const hb_receive *v = &hb_model_receives(g->m)[id];
	const hb_spec *s = &hb_model_specs(g->m)[v->spec];
	if (g->got[id] || !(v->flags & HB_PENDING) || v->flags & HB_CANCEL_ASKED ||
		(!s->any_source && hb__unknown(g, s->group, s->source)))
		return false;
	need_message(g, w, s, id);
	return true;
}

static bool need_send(struct hb__graph *g, struct hb__wait *w, uint32_t id)
{
	const hb_send *s = &hb_model_sends(g->m)[id];
	const hb_channel *c = &hb_model_channels(g->m)[s->channel];
	bool buffered = s->flags & HB_BUFFERED ||
			(!g->hanging && !(s->flags & HB_SYNCHRONOUS) && hb_send_bytes(g->m, id) <= SMALL);
	if (g->sent[id] || buffered || hb__unknown(g, c->group, c->dest) || s->flags & HB_CANCELLED)
		return false;
	hb__need(g, w, (struct hb__need){HB__WANT_RECEIVE, id, c->dest, c->dest, c->group, c->tag});
	return true;
}

static bool need_pending(struct hb__graph *g, struct hb__wait *w, const hb_pending *p, const hb_event *e)
{
	switch (p->kind) {
	case HB_PENDING_SEND:
		return need_send(g, w, p->id);
	case HB_PENDING_RECEIVE:
		return need_receive(g, w, p->id);
	case HB_PENDING_COLLECTIVE:
		return hb__need_collective(g, w, p->id, e);
	default:
		return false;
	}
}

static const hb_pending *find(const struct hb__graph *g, uint32_t process, uint64_t request)
{
	uint32_t n, low = 0;
	const hb_pending *p = hb_model_pending(g->m, process, &n);
	uint32_t lane = (uint32_t)(request >> 48);
	int64_t posting = (int64_t)(request & ~(UINT64_MAX << 48));
	while (low < n) {
		uint32_t middle = low + (n - low) / 2;
		const hb_reference *r = &p[middle].request;
		if (r->lane == lane && r->posting == posting)
			return &p[middle];
		if (r->lane < lane || (r->lane == lane && r->posting < posting))
			low = middle + 1;
		else
			n = middle;
	}
	return NULL;
}

/* The requests are told: each is needed, or one. */
static void needs_told(struct hb__graph *g, struct hb__wait *w, const hb_lane_info *info, const hb_event *e)
{
	bool short_list = info->nwait < info->waits;
	w->requests = (uint32_t)info->waits;
	for (uint32_t i = 0; i < info->nwait; i++) {
		const hb_pending *p = find(g, w->process, info->wait[i]);
		bool needs = p && need_pending(g, w, p, e);
		w->done |= w->any && !needs;
	}
	w->done |= !w->n || (w->any && short_list);
}

/* They are not: it waits for some that are under way. What all of them need is needed. */
static void needs_guessed(struct hb__graph *g, struct hb__wait *w, const hb_event *e)
{
	uint32_t n;
	const hb_pending *p = hb_model_pending(g->m, w->process, &n);
	int64_t count = hb_event_argument(e, "count");
	bool all = !w->any && (n == 1 || count == (int64_t)n);
	w->any = !all;
	w->requests = n;
	for (uint32_t i = 0; i < n; i++) {
		bool needs = need_pending(g, w, &p[i], e);
		w->done |= !all && !needs;
	}
	w->done |= !w->n;
}

static void completes(struct hb__graph *g, struct hb__wait *w, const hb_lane_info *info, const hb_event *e)
{
	w->any = e->means->shape == HB_SHAPE_ANY || e->means->shape == HB_SHAPE_SOME;
	if (info->waits)
		needs_told(g, w, info, e);
	else if (hb_model_followed(g->m, w->process) && !info->polling)
		needs_guessed(g, w, e);
	else
		w->done = true;
}

static void probes(struct hb__graph *g, struct hb__wait *w, const hb_event *e)
{
	bool members;
	uint32_t group = hb_model_group(g->m, w->process, e->comm, &members), source = HB_NO;
	if (group == HB_NO || e->from == HB_PROC_NULL || e->from == HB_ABSENT) {
		w->done = true;
		return;
	}
	const hb_group *of = &hb_model_groups(g->m)[group];
	const uint32_t *member = members ? of->member : of->remote;
	if (e->from >= 0 && e->from < (int64_t)(members ? of->size : of->remote_size))
		source = member[e->from];
	hb_spec s = {.group = group,
		.process = w->process,
		.source = source,
		.tag = (int32_t)e->from_tag,
		.any_source = e->from == HB_ANY_SOURCE};
	w->done = hb__tail_probe(g, w->process, group, s.any_source ? HB_NO : source, s.tag) != HB_NO;
	if (!w->done)
		need_message(g, w, &s, HB_NO);
}

/* The sends, receives and collectives that began with the call itself. */
static void parts_of_call(struct hb__graph *g, struct hb__wait *w, const hb_event *e)
{
	uint64_t n;
	const hb_op *op = hb_model_ops(g->m, w->line, &n);
	uint32_t event = hb_model_lines(g->m)[w->line].events;
	bool known = false;
	for (; n-- > 0 && op[n].event == event;) {
		known |= op[n].kind != HB_OP_TELL;
		if (op[n].kind == HB_OP_SEND)
			need_send(g, w, op[n].id);
		else if (op[n].kind == HB_OP_POST)
			need_receive(g, w, op[n].id);
		else if (op[n].kind == HB_OP_ENTER)
			hb__need_collective(g, w, op[n].id, e);
	}
	for (uint32_t i = g->open_first[w->process + 1]; !known && i-- > g->open_first[w->process];) {
		const hb_receive *v = &hb_model_receives(g->m)[g->open[i]];
		if (v->line == w->line && v->post == event) { /* a matched probe */
			known = true;
			need_receive(g, w, g->open[i]);
		}
	}
	w->done |= !w->n;
}

/* It waits for others of its group, or for all others; for which ones is not known. */
static void waits(struct hb__graph *g, struct hb__wait *w, const hb_event *e)
{
	bool members = true;
	uint32_t group = hb_model_group(g->m, w->process, e->comm != HB_ABSENT && e->comm >= 0 ? e->comm : 0, &members);
	w->state = HB__UNSURE;
	w->any = true;
	if (group == HB_NO)
		w->done = true;
	else
		hb__need(g, w,
			(struct hb__need){HB__WANT_OTHER, HB_NO, hb__any_node(g, group, members), HB_NO, group, 0});
}

/* It waits for somebody who has the other side of its stream. */
static void waits_for_peers(struct hb__graph *g, struct hb__wait *w)
{
	uint32_t group = hb_model_lines(g->m)[w->line].group;
	w->done = group == HB_NO;
	if (!w->done)
		hb__need(g, w, (struct hb__need){HB__WANT_PEER, HB_NO, hb__any_node(g, group, true), HB_NO, group, 0});
}

/* Whether the process was told that the other one had ended. */
static bool was_told(const struct hb__graph *g, uint32_t process, uint32_t of)
{
	const hb_edge *edge = hb_model_edges(g->m);
	const hb_line *lines = hb_model_lines(g->m);
	for (uint32_t i = 0; i < hb_model_get_info(g->m)->edges; i++)
		if ((edge[i].kind == HB_EDGE_ENDED || edge[i].kind == HB_EDGE_KILLED) &&
			lines[edge[i].to.line].process == process && lines[edge[i].from.line].process == of)
			return true;
	return false;
}

/* It waits for the end of one of the processes that its process made, whichever comes first. */
static void waits_for_children(struct hb__graph *g, struct hb__wait *w)
{
	const hb_edge *edge = hb_model_edges(g->m);
	const hb_line *lines = hb_model_lines(g->m);
	uint32_t last = HB_NO;
	w->any = true;
	for (uint32_t i = 0; i < hb_model_get_info(g->m)->edges; i++) {
		uint32_t child = lines[edge[i].to.line].process;
		if (edge[i].kind != HB_EDGE_FORKED || lines[edge[i].from.line].process != w->process || child == last ||
			was_told(g, w->process, child))
			continue;
		hb__need(g, w, (struct hb__need){HB__WANT_CHILD, HB_NO, child, child, HB_NO, 0});
		w->done |= g->process[child] == HB__OVER || g->process[child] == HB__DEAD;
		last = child;
	}
	w->done |= !w->n;
}

static void on_object(struct hb__wait *w, const hb_event *e)
{
	int64_t window = hb_event_argument(e, "win"), rank = hb_event_argument(e, "rank");
	w->object = window == HB_ABSENT ? -1 : window;
	w->rank = window == HB_ABSENT || rank == HB_ABSENT ? -1 : rank;
	w->on_window = e->means->cls == HB_RMA && (window != HB_ABSENT || e->means->does == HB_DOES_WINDOW_FREE);
	w->on_file = e->means->cls == HB_IO && e->means->does != HB_DOES_FILE_OPEN;
}

static void classify(struct hb__graph *g, struct hb__wait *w, const hb_lane_info *info, const hb_event *e)
{
	bool ends = e->means->does == HB_DOES_FINALIZE;
	w->name = e->function->name;
	w->means = e->means;
	w->site = e->row->site;
	w->function = e->row->function;
	w->comm = e->comm == HB_ABSENT ? -1 : e->comm;
	w->state = w->poll ? HB__POLLS : HB__BLOCKED;
	on_object(w, e);
	if (ends)
		g->process[w->process] = HB__OVER;
	if (e->means->does == HB_DOES_ABORT)
		g->process[w->process] = HB__DEAD;
	switch ((enum hb_needs)e->means->needs) {
	case HB_NEEDS_RECEIVER:
	case HB_NEEDS_MESSAGE:
	case HB_NEEDS_MEMBERS:
		parts_of_call(g, w, e);
		break;
	case HB_NEEDS_PROBED:
		probes(g, w, e);
		break;
	case HB_NEEDS_REQUESTS:
		w->completes = !w->poll;
		completes(g, w, info, e);
		break;
	case HB_NEEDS_OTHERS:
		waits(g, w, e);
		break;
	case HB_NEEDS_PEERS:
		waits_for_peers(g, w);
		break;
	case HB_NEEDS_CHILD:
		waits_for_children(g, w);
		break;
	case HB_NEEDS_NOTHING:
		w->done = true;
		break;
	}
	if (w->done || !w->n)
		w->state = ends ? HB__OVER : w->state == HB__UNSURE ? HB__UNSURE : HB__RUNS;
}

/* Its thread sleeps outside of calls: another one of the process has to go on. */
static void asleep(struct hb__graph *g, struct hb__wait *w)
{
	const hb_line *l = &hb_model_lines(g->m)[w->line];
	const hb_process *p = &hb_model_processes(g->m)[w->process];
	struct hb__need need = {HB__WANT_THREAD, l->joins, HB_NO, w->process, HB_NO, 0};
	w->state = HB__BLOCKED;
	w->asleep = true;
	w->over = l->joins == w->line;
	if (w->over)
		return;
	w->name = "no call";
	if (l->joins != HB_NO) {
		need.node = hb__line_node(g, l->joins);
	} else {
		need.node = hb__node_new(g, HB__NODE_ANY, HB_NO, 1);
		for (uint32_t i = 0; i < p->nlines; i++)
			if (p->first_line + i != w->line)
				hb__edge_new(g, need.node, hb__line_node(g, p->first_line + i), HB_NO);
	}
	hb__need(g, w, need);
}

static hb_status read_line(struct hb__graph *g, uint32_t line, hb_error *err)
{
	struct hb__wait *w = &g->wait[line];
	const hb_line *l = &hb_model_lines(g->m)[line];
	hb_log *log = hb_model_processes(g->m)[l->process].log;
	hb_lane_info info;
	hb_events *events = NULL;
	hb_event e;
	*w = (struct hb__wait){.line = line, .process = l->process, .comm = -1, .object = -1, .rank = -1};
	if (l->asleep)
		asleep(g, w);
	if (hb_log_lane(log, l->lane, &info) || l->asleep || (!l->inside && !info.polling))
		return HB_OK;
	hb_status status = hb_events_open_at(log, l->lane, info.events + 1, &events, err);
	if (status)
		return status;
	w->poll = !l->inside;
	int known = l->inside ? hb_events_inside(events, &e) : hb_events_polling(events, &e);
	if (known == 1 && e.function && e.function->name)
		classify(g, w, &info, &e);
	hb_events_close(events);
	return HB_OK;
}

/* A signal ended them, or the library did, maybe inside a call that would have returned. */
static void crashed(struct hb__graph *g)
{
	for (size_t i = 0; g->c && i < g->c->remarks->n; i++) {
		const hb_remark *r = &g->c->remarks->at[i];
		if (r->word == HB_REMARK_CRASH || r->word == HB_REMARK_LEFT_INSIDE ||
			(r->word == HB_REMARK_CALL_FAILED && r->failed->fatal))
			g->process[r->process] = HB__DEAD;
	}
	for (uint32_t i = 0; i < hb_model_get_info(g->m)->lines; i++) {
		const hb_line *line = &hb_model_lines(g->m)[i];
		if (line->inside && hb_model_processes(g->m)[line->process].ending == HB_ENDING_LEFT)
			g->process[line->process] = HB__DEAD;
	}
}

bool hb__read_waits(struct hb__graph *g, hb_error *err)
{
	const hb_model_info *info = hb_model_get_info(g->m);
	const hb_process *process = hb_model_processes(g->m);
	memset(g->process, 0, info->processes * sizeof *g->process);
	crashed(g);
	for (uint32_t p = 0; p < info->processes; p++) {
		const hb_process *at = &process[p];
		g->process[p] = g->process[p] == HB__DEAD            ? HB__DEAD
				: !at->log || at->cut || !at->nlines ? HB__RUNS
				: at->ending == HB_ENDING_ABORTED    ? HB__DEAD
				: at->ending != HB_ENDING_NONE       ? HB__OVER
								     : HB__BLOCKED;
	}
	for (uint32_t p = 0; p < info->processes; p++) {
		const hb_process *at = &process[p];
		for (uint32_t i = 0; i < at->nlines; i++) {
			g->wait[at->first_line + i].line = at->first_line + i;
			g->wait[at->first_line + i].process = p;
			if (g->process[p] == HB__BLOCKED && read_line(g, at->first_line + i, err))
				return false;
		}
	}
	return hb__need_objects(g, err);
}
