/* Collectives: in the order of their beginnings, with the last end of each 64. */
#include <math.h>
#include <stdlib.h>

#include "base/grow.h"
#include "view/layout/parts.h"

struct span {
	uint32_t id;
	double from, to;
};

static double begins(const hb_layout *l, hb_axis axis, uint32_t id)
{
	const struct hb__meeting *m = &l->meeting[id];
	return axis == HB_AXIS_LOGICAL ? m->logical_from : m->from;
}

static double ends(const hb_layout *l, hb_axis axis, uint32_t id)
{
	const struct hb__meeting *m = &l->meeting[id];
	return axis == HB_AXIS_LOGICAL ? m->logical_to : m->to;
}

static int by_beginning(const void *a, const void *b)
{
	const struct span *x = a, *y = b;
	return x->from != y->from ? (x->from > y->from) - (x->from < y->from) : (x->id > y->id) - (x->id < y->id);
}

static bool sort(hb_layout *l, hb_axis axis, struct span *span)
{
	uint32_t n = l->meetings;
	l->meeting_by[axis] = malloc(((size_t)n + 1) * sizeof **l->meeting_by);
	l->meeting_end[axis] = malloc(((size_t)n / HB__TILE + 1) * sizeof **l->meeting_end);
	if (!l->meeting_by[axis] || !l->meeting_end[axis])
		return false;
	bool sorted = true;
	for (uint32_t i = 0; i < n; i++) {
		span[i].from = begins(l, axis, span[i].id);
		span[i].to = ends(l, axis, span[i].id);
		sorted = sorted && (!i || by_beginning(&span[i - 1], &span[i]) < 0);
	}
	if (!sorted)
		qsort(span, n, sizeof *span, by_beginning);
	for (uint32_t i = 0; i < n; i++) {
		double *end = &l->meeting_end[axis][i / HB__TILE];
		l->meeting_by[axis][i] = span[i].id;
		*end = i % HB__TILE && *end > span[i].to ? *end : span[i].to;
	}
	return true;
}

/* Between two groups some only pass by (MPI_PROC_NULL in the place of a root): no operation, but a call. */
static void widen(hb_layout *l, uint32_t id, const uint32_t *member, uint32_t n)
{
	struct hb__meeting *m = &l->meeting[id];
	for (uint32_t i = 0; i < n; i++) {
		hb_at at = member[i] == HB_NO ? (hb_at){HB_NO, 0} : hb_collective_enter(l->model, id, member[i]);
		if (at.line == HB_NO || !at.event)
			continue;
		const struct hb__track *t = &l->track[at.line];
		double from = hb__enter(t, HB_AXIS_PHYSICAL, at.event - 1),
		       to = hb__exit(t, HB_AXIS_PHYSICAL, at.event - 1);
		uint32_t logical_from = (uint32_t)hb__enter(t, HB_AXIS_LOGICAL, at.event - 1),
			 logical_to = t->left[at.event - 1];
		m->from = from < m->from ? from : m->from;
		m->to = to > m->to ? to : m->to;
		m->logical_from = logical_from < m->logical_from ? logical_from : m->logical_from;
		m->logical_to = logical_to > m->logical_to ? logical_to : m->logical_to;
	}
}

bool hb__rings_build(hb_layout *l)
{
	const hb_collective *c = hb_model_collectives(l->model);
	struct span *span = malloc(((size_t)l->info->collectives + 1) * sizeof *span);
	bool good = span != NULL;
	for (uint32_t i = 0; good && i < l->info->collectives; i++) {
		const hb_group *g = &hb_model_groups(l->model)[c[i].group];
		if (!g->remote_size)
			continue;
		widen(l, i, g->member, g->size);
		widen(l, i, g->remote, g->remote_size);
	}
	for (uint32_t i = 0; good && i < l->info->collectives; i++)
		if (c[i].enters > 1 && l->meeting[i].to >= l->meeting[i].from)
			span[l->meetings++].id = i;
	for (int axis = 0; good && axis < HB__AXES; axis++)
		good = sort(l, (hb_axis)axis, span);
	free(span);
	return good;
}

/* ---- what is in a window ---- */

struct circle {
	struct hb__query *q;
	const bool *function; /* wanted; NULL: all */
	uint64_t parts;
	uint32_t every; /* of how many one is drawn */
	bool draw, no_memory;
	size_t ring_room, part_room;
};

/* The call of a process, when it is in the window. */
static bool part_of(const struct circle *c, uint32_t id, uint32_t process, hb_part *ret)
{
	const struct hb__query *q = c->q;
	if (process == HB_NO)
		return false;
	hb_at at = hb_collective_enter(q->layout->model, id, process);
	if (at.line == HB_NO || !at.event || !q->wanted[at.line])
		return false;
	const struct hb__track *t = &q->layout->track[at.line];
	if (c->function && !c->function[hb__function_of(t, at.event - 1)])
		return false;
	*ret = (hb_part){at, hb__enter(t, q->axis, at.event - 1), hb__exit(t, q->axis, at.event - 1)};
	return ret->x1 >= q->from && ret->x0 <= q->to;
}

static uint32_t find_parts(struct circle *c, uint32_t id)
{
	hb_picture *p = c->q->picture;
	const hb_collective *a = &hb_model_collectives(c->q->layout->model)[id];
	const hb_group *g = &hb_model_groups(c->q->layout->model)[a->group];
	uint32_t n = 0;
	for (uint32_t i = 0; i < g->size + g->remote_size; i++) {
		hb_part part;
		if (!part_of(c, id, i < g->size ? g->member[i] : g->remote[i - g->size], &part))
			continue;
		n++;
		if (!HB_GROW(p->parts, c->part_room, p->nparts + 1)) {
			c->no_memory = true;
			return 0;
		}
		p->parts[p->nparts++] = part;
	}
	return n;
}

static bool wanted(const struct circle *c, uint32_t id)
{
	const hb_model *m = c->q->layout->model;
	const hb_collective *a = &hb_model_collectives(m)[id];
	const hb_layout_filter *f = c->q->filter;
	if (!f)
		return true;
	if (f->has_tag || (f->group && !f->group[a->group]))
		return false;
	if (!c->function)
		return true;
	hb_at at = hb_collective_enter(m, id, a->process);
	return at.line == HB_NO || !at.event ||
	       c->function[hb__function_of(&c->q->layout->track[at.line], at.event - 1)];
}

static void add_collective(struct circle *c, uint32_t place, uint32_t id)
{
	hb_picture *p = c->q->picture;
	const hb_collective *a = &hb_model_collectives(c->q->layout->model)[id];
	if (!c->draw) {
		p->collectives++;
		c->parts += a->enters;
		return;
	}
	if (place % c->every || p->nrings >= c->q->most || p->nparts >= c->q->most)
		return;
	size_t first = p->nparts;
	uint32_t n = find_parts(c, id);
	if (!n)
		return;
	if (!HB_GROW(p->rings, c->ring_room, p->nrings + 1)) {
		c->no_memory = true;
		return;
	}
	hb_at at = p->parts[first].at;
	p->rings[p->nrings++] = (hb_ring){.collective = id,
		.first = (uint32_t)first,
		.n = n,
		.of = a->enters,
		.function = hb__function_of(&c->q->layout->track[at.line], at.event - 1)};
}

static void go_round(struct circle *c)
{
	const hb_layout *l = c->q->layout;
	hb_axis axis = c->q->axis;
	for (uint32_t b = 0; b * HB__TILE < l->meetings && !c->no_memory; b++) {
		if (begins(l, axis, l->meeting_by[axis][b * HB__TILE]) > c->q->to)
			break;
		if (l->meeting_end[axis][b] < c->q->from)
			continue;
		for (uint32_t i = b * HB__TILE; i < l->meetings && i < (b + 1) * HB__TILE && !c->no_memory; i++) {
			uint32_t id = l->meeting_by[axis][i];
			if (begins(l, axis, id) <= c->q->to && ends(l, axis, id) >= c->q->from && wanted(c, id))
				add_collective(c, i, id);
		}
	}
}

bool hb__query_rings(struct hb__query *q)
{
	struct circle c = {.q = q, .function = q->filter ? q->filter->function : NULL, .every = 1};
	hb_picture *p = q->picture;
	go_round(&c);
	while (p->collectives / c.every > q->most || c.parts / c.every > q->most)
		c.every *= 2;
	c.draw = true;
	if (p->collectives)
		go_round(&c);
	if (c.every == 1) /* those of which nothing is to be seen are known now */
		p->collectives = p->nrings;
	p->hidden_collectives = p->collectives - p->nrings;
	return !c.no_memory;
}
