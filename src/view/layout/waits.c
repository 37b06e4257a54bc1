/* How long each call waited for others: until the last enter of another that its exit needed. */
#include <math.h>
#include <stdlib.h>

#include "view/layout/parts.h"

#define AHEAD 12 /* operations */

/* A point on both axes. */
struct when {
	double logical, physical;
};
#define NEVER ((struct when){-1, -INFINITY})

static struct when later(struct when a, struct when b)
{
	return (struct when){
		a.logical > b.logical ? a.logical : b.logical, a.physical > b.physical ? a.physical : b.physical};
}

static struct when enter_of(const hb_layout *l, hb_at at)
{
	if (at.line == HB_NO || !at.event)
		return NEVER;
	const struct hb__track *t = &l->track[at.line];
	return (struct when){hb__enter(t, HB_AXIS_LOGICAL, at.event - 1), hb__enter(t, HB_AXIS_PHYSICAL, at.event - 1)};
}

/* What is gathered of a collective. */
struct gathering {
	struct when last[2], root; /* last: of each side of an intercommunicator */
	struct when *lower;        /* scans: by place in the group, the last of the lower ranks */
};

struct waits {
	hb_layout *l;
	struct gathering *of;
	bool no_memory;
};

/* ---- collectives ---- */

/* Of an intercommunicator whether the process is on the other side, and its place there; HB_NO: in neither. */
static uint32_t place_in(const hb_layout *l, const hb_group *g, uint32_t process, bool *ret_remote)
{
	int32_t rank = hb_model_processes(l->model)[process].rank;
	*ret_remote = false;
	if (rank >= 0 && (uint32_t)rank < g->size && g->member[rank] == process)
		return (uint32_t)rank;
	for (uint32_t i = 0; i < g->size; i++)
		if (g->member[i] == process)
			return i;
	*ret_remote = g->remote_size != 0;
	for (uint32_t i = 0; i < g->remote_size; i++)
		if (g->remote[i] == process)
			return i;
	return HB_NO;
}

static bool is_remote(const hb_layout *l, uint32_t id, uint32_t process)
{
	const hb_group *g = &hb_model_groups(l->model)[hb_model_collectives(l->model)[id].group];
	bool remote = false;
	if (g->remote_size)
		place_in(l, g, process, &remote);
	return remote;
}

static void gather_line(struct waits *w, uint32_t line)
{
	const hb_collective *collectives = hb_model_collectives(w->l->model);
	const struct hb__track *t = &w->l->track[line];
	uint32_t process = hb_model_lines(w->l->model)[line].process;
	uint64_t n;
	const hb_op *op = hb_model_ops(w->l->model, line, &n);
	for (uint64_t i = 0; i < n; i++) {
		if (op[i].kind != HB_OP_ENTER)
			continue;
		struct gathering *g = &w->of[op[i].id];
		struct hb__meeting *m = &w->l->meeting[op[i].id];
		uint32_t e = op[i].event - 1;
		struct when in = enter_of(w->l, (hb_at){line, op[i].event});
		double out = hb__exit(t, HB_AXIS_PHYSICAL, e);
		bool remote = is_remote(w->l, op[i].id, process);
		g->last[remote] = later(g->last[remote], in);
		if (collectives[op[i].id].root == process)
			g->root = later(g->root, in);
		m->from = in.physical < m->from ? in.physical : m->from;
		m->to = out > m->to ? out : m->to;
		m->logical_from = in.logical < m->logical_from ? (uint32_t)in.logical : m->logical_from;
		m->logical_to = t->left[e] > m->logical_to ? t->left[e] : m->logical_to;
	}
}

/* The last enter of the lower ranks of a scan. */
static struct when lower(struct waits *w, uint32_t id, uint32_t process)
{
	const hb_group *g = &hb_model_groups(w->l->model)[hb_model_collectives(w->l->model)[id].group];
	bool remote;
	uint32_t place = place_in(w->l, g, process, &remote);
	if (place == HB_NO || place > g->size)
		return NEVER;
	struct when **at = &w->of[id].lower;
	if (!*at) {
		*at = malloc(((size_t)g->size + 1) * sizeof **at);
		if (!*at) {
			w->no_memory = true;
			return NEVER;
		}
		(*at)[0] = NEVER;
		for (uint32_t i = 0; i < g->size; i++) {
			hb_at enter = g->member[i] == HB_NO ? (hb_at){HB_NO, 0}
							    : hb_collective_enter(w->l->model, id, g->member[i]);
			(*at)[i + 1] = later((*at)[i], enter_of(w->l, enter));
		}
	}
	return (*at)[place];
}

static struct when collective_need(struct waits *w, uint32_t id, uint32_t process)
{
	const hb_collective *c = &hb_model_collectives(w->l->model)[id];
	const struct gathering *g = &w->of[id];
	switch (c->order) {
	case HB_ORDER_OUT:
		return g->root;
	case HB_ORDER_IN:
	case HB_ORDER_ALL:
		if (c->order == HB_ORDER_IN && c->root != process)
			return NEVER;
		if (c->both_sides || !hb_model_groups(w->l->model)[c->group].remote_size)
			return later(g->last[0], g->last[1]);
		return g->last[!is_remote(w->l, id, process)];
	case HB_ORDER_SCAN:
	case HB_ORDER_EXSCAN:
		return lower(w, id, process);
	case HB_ORDER_NONE:
		break;
	}
	return NEVER;
}

/* ---- what the exit of an event needs ---- */

static struct when need(struct waits *w, uint32_t line, uint32_t process, const hb_op *o)
{
	const hb_model *m = w->l->model;
	const hb_receive *receives = hb_model_receives(m);
	uint32_t other;
	struct when at = NEVER;
	switch ((hb_op_kind)o->kind) {
	case HB_OP_RECEIVED:
		if (receives[o->id].line != line)
			at = enter_of(w->l, hb_receive_post(m, o->id));
		other = receives[o->id].send;
		return other == HB_NO ? at : later(at, enter_of(w->l, hb_send_at(m, other)));
	case HB_OP_PROBED:
		other = hb_model_probes(m)[o->id].send;
		return other == HB_NO ? at : enter_of(w->l, hb_send_at(m, other));
	case HB_OP_SENT:
		other = hb_model_sends(m)[o->id].receive;
		return other == HB_NO ? at : enter_of(w->l, hb_receive_post(m, other));
	case HB_OP_LEAVE:
		return collective_need(w, o->id, process);
	case HB_OP_TOLD:
		return enter_of(w->l, hb_model_edges(m)[o->id].from);
	default:
		return at;
	}
}

/* In logical time a call has a length only by what it waited for, and by the way of the message. */
static void set_wait(struct hb__track *t, uint32_t i, struct when until)
{
	double enter = hb__enter(t, HB_AXIS_PHYSICAL, i), length = hb__exit(t, HB_AXIS_PHYSICAL, i) - enter;
	double part = length > 0 ? (until.physical - enter) / length : 0;
	t->waited[i] = part <= 0 ? 0 : part >= 1 ? 65535 : (uint16_t)(part * 65535 + 0.5);
	if (hb__exit(t, HB_AXIS_LOGICAL, i) > hb__enter(t, HB_AXIS_LOGICAL, i) && t->left[i] > until.logical)
		t->mark[i] |= HB__FLYING;
}

/* Senders are anywhere: they are asked for in time, first the message, then its call. */
static void fetch(const struct waits *w, const hb_op *op, uint64_t i, uint64_t n)
{
	const hb_model *m = w->l->model;
	const hb_send *sends = hb_model_sends(m);
	if (i + 2 * AHEAD < n && op[i + 2 * AHEAD].kind == HB_OP_RECEIVED) {
		uint32_t send = hb_model_receives(m)[op[i + 2 * AHEAD].id].send;
		if (send != HB_NO)
			__builtin_prefetch(&sends[send]);
	}
	if (i + AHEAD < n && op[i + AHEAD].kind == HB_OP_RECEIVED) {
		uint32_t send = hb_model_receives(m)[op[i + AHEAD].id].send;
		if (send != HB_NO)
			hb__fetch(&w->l->track[sends[send].line], sends[send].event - 1);
	}
}

static void wait_line(struct waits *w, uint32_t line)
{
	struct hb__track *t = &w->l->track[line];
	uint32_t process = hb_model_lines(w->l->model)[line].process;
	uint64_t n, i = 0;
	const hb_op *op = hb_model_ops(w->l->model, line, &n);
	while (i < n) {
		uint32_t event = op[i].event;
		struct when until = NEVER;
		bool meets = false;
		for (; i < n && op[i].event == event; i++) {
			fetch(w, op, i, n);
			until = later(until, need(w, line, process, &op[i]));
			meets = meets || op[i].kind == HB_OP_ENTER;
		}
		if (meets && (t->mark[event - 1] & HB__KIND) == HB_BOX_LOCAL)
			t->mark[event - 1] |= HB_BOX_COLLECTIVE;
		set_wait(t, event - 1, until);
	}
}

/* Sums before each block, so that what lies between any two places is known at once. */
static void add_up(struct hb__track *t)
{
	struct hb__tile sum = {0};
	for (uint32_t i = 0;; i++) {
		if (i % HB__TILE == 0) {
			struct hb__tile *b = &t->block[i / HB__TILE];
			sum.tick = b->tick;
			sum.shift = b->shift;
			*b = sum;
		}
		if (i == t->n)
			return;
		uint32_t kind = t->mark[i] & HB__KIND, flying = (t->mark[i] & HB__FLYING) != 0;
		double waited = t->waited[i] ? hb__waited(t, HB_AXIS_PHYSICAL, i) : 0;
		sum.waited += waited;
		sum.busy[kind] += hb__exit(t, HB_AXIS_PHYSICAL, i) - hb__enter(t, HB_AXIS_PHYSICAL, i) - waited;
		sum.steps[kind] += 1 + flying;
		sum.flying += flying;
		sum.races += hb__races(t, i);
	}
}

void hb__sums_build(hb_layout *l)
{
	for (uint32_t i = 0; i < l->info->lines; i++)
		if (l->track[i].n)
			add_up(&l->track[i]);
}

bool hb__waits_build(hb_layout *l)
{
	uint32_t collectives = l->info->collectives;
	struct waits w = {l, malloc(((size_t)collectives + 1) * sizeof *w.of), false};
	l->meeting = malloc(((size_t)collectives + 1) * sizeof *l->meeting);
	if (!w.of || !l->meeting) {
		free(w.of);
		return false;
	}
	for (uint32_t i = 0; i < collectives; i++) {
		w.of[i] = (struct gathering){{NEVER, NEVER}, NEVER, NULL};
		l->meeting[i] = (struct hb__meeting){INFINITY, -INFINITY, UINT32_MAX, 0};
	}
	for (uint32_t i = 0; i < l->info->lines; i++)
		gather_line(&w, i);
	for (uint32_t i = 0; i < l->info->lines && !w.no_memory; i++)
		wait_line(&w, i);
	for (uint32_t i = 0; i < collectives; i++)
		free(w.of[i].lower);
	free(w.of);
	return !w.no_memory;
}
