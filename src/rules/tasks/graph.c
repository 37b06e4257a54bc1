/* The event graph of a task, and its coalesced form. */
#include <stdlib.h>

#include "base/grow.h"
#include "rules/tasks/tasks.h"

typedef struct drawing {
	const hb_tasks *t;
	const hb_tasks_history *h;
	hb_tasks_graph *g;
	uint32_t *first, *last; /* by passage: the vertices that its arrival begins and its result leaves from */
	bool no_memory;
} drawing;

static void event_arc(drawing *d, uint32_t from, uint32_t to)
{
	if (!HB_GROW(d->g->event_arc, d->g->event_room, d->g->event_arcs + 1))
		d->no_memory = true;
	else
		d->g->event_arc[d->g->event_arcs++] = (hb_tasks_arc){from, to};
}

static void arc(drawing *d, uint32_t from, uint32_t to)
{
	if (!HB_GROW(d->g->arc, d->g->arc_room, d->g->arcs + 1))
		d->no_memory = true;
	else
		d->g->arc[d->g->arcs++] = (hb_tasks_arc){from, to};
}

static uint32_t vertex(
	drawing *d, hb_tasks_process process, int32_t node, hb_tasks_sub sub, uint32_t events, uint32_t needs)
{
	if (!HB_GROW(d->g->vertex, d->g->vertex_room, d->g->vertices + 1)) {
		d->no_memory = true;
		return HB_TASKS_NONE;
	}
	d->g->vertex[d->g->vertices] =
		(hb_tasks_vertex){.process = process, .node = node, .sub = sub, .events = events, .needs = needs};
	return (uint32_t)d->g->vertices++;
}

/* At one node one after the other: the task's events are in the order of the trace. */
static int by_node(const void *a, const void *b, void *user)
{
	const hb_tasks_event *event = user;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	if (event[x].node != event[y].node)
		return event[x].node < event[y].node ? -1 : 1;
	return x < y ? -1 : 1;
}

static void event_graph(drawing *d)
{
	const hb_tasks_history *h = d->h;
	const hb_tasks_event *event = d->t->trace->event;
	uint32_t *at = malloc(h->events * sizeof *at);
	if (!at) {
		d->no_memory = true;
		return;
	}
	for (uint32_t i = 0; i < h->events; i++)
		at[i] = d->t->by_task[h->first + i];
	qsort_r(at, h->events, sizeof *at, by_node, (void *)event);
	for (uint32_t i = 1; i < h->events; i++)
		if (event[at[i]].node == event[at[i - 1]].node)
			event_arc(d, at[i - 1], at[i]);
	free(at);
	for (uint32_t i = h->passage; i < h->passage + h->passages; i++)
		if (d->t->passage[i].send != HB_TASKS_NONE && d->t->passage[i].receive != HB_TASKS_NONE &&
			d->t->passage[i].send != d->t->passage[i].receive)
			event_arc(d, d->t->passage[i].send, d->t->passage[i].receive);
}

/* What a node made of a task that arrived there: vertices, without the arcs to other nodes. */
static void at_node(drawing *d, const hb_tasks_passage *p, uint32_t k)
{
	const hb_tasks_spec *spec = &d->t->trace->spec;
	uint32_t parts = p->passed + (uint32_t)__builtin_popcountll(p->parts), left = p->result != HB_TASKS_NONE;
	/* a result that was sent tells how many parts there were */
	uint32_t degree = p->passed ? 1 : left ? parts : spec->degree;
	bool source = p->kind == HB_TASKS_SOURCE;
	int32_t function = hb_tasks_is_function(spec, p->low), node = (int32_t)hb_tasks_node_of(spec, p->low);
	if (!parts) {
		hb_tasks_process process = source                          ? HB_TASKS_GENERATE
					   : function == HB_TASKS_SPLIT_FN ? HB_TASKS_SPLIT
					   : left || function              ? HB_TASKS_COMPUTE
									   : HB_TASKS_OPEN;
		d->first[k] = d->last[k] = vertex(d, process, node, p->sub, 1 + left, 2);
		return;
	}
	d->first[k] = vertex(
		d, source && p->passed ? HB_TASKS_GENERATE : HB_TASKS_SPLIT, node, p->sub, 1 + parts, 1 + degree);
	if (p->returned || left)
		d->last[k] = vertex(d, source && p->passed ? HB_TASKS_POST : HB_TASKS_JOIN, node, p->sub,
			p->returned + left, 1 + degree);
}

static void vertices(drawing *d)
{
	const hb_tasks_passage *all = d->t->passage + d->h->passage;
	for (uint32_t k = 0; k < d->h->passages; k++) {
		const hb_tasks_passage *p = &all[k];
		d->first[k] = d->last[k] = HB_TASKS_NONE;
		if (p->receive == HB_TASKS_NONE)
			continue;
		if (p->kind == HB_TASKS_SOURCE && d->t->trace->hosts)
			d->first[k] =
				vertex(d, HB_TASKS_GENERATE, HB_TASKS_GENERATOR, p->sub, 1 + (d->h->passages > 1), 2);
		else if (p->kind <= HB_TASKS_DOWN)
			at_node(d, p, k);
		else if (d->t->trace->hosts && !p->low)
			d->first[k] = vertex(
				d, HB_TASKS_POST, HB_TASKS_RECEIVER, p->sub, 1 + (p->result != HB_TASKS_NONE), 2);
	}
}

static void arcs(drawing *d)
{
	const hb_tasks_passage *all = d->t->passage + d->h->passage;
	uint32_t base = d->h->passage;
	for (uint32_t k = 0; k < d->h->passages; k++) {
		const hb_tasks_passage *p = &all[k];
		if (p->kind == HB_TASKS_DOWN)
			arc(d, p->holder == HB_TASKS_NONE ? d->first[0] : d->first[p->holder - base], d->first[k]);
		if (p->kind > HB_TASKS_DOWN || p->result == HB_TASKS_NONE ||
			all[p->result - base].kind == HB_TASKS_SINK)
			continue;
		const hb_tasks_passage *result = &all[p->result - base];
		uint32_t to = d->first[p->result - base];
		if (p->holder != HB_TASKS_NONE)
			to = result->receive == HB_TASKS_NONE ? HB_TASKS_NONE : d->last[p->holder - base];
		arc(d, d->last[k], to);
	}
}

bool hb_tasks_graph_of(const hb_tasks *tasks, size_t history, hb_tasks_graph *ret)
{
	drawing d = {.t = tasks, .h = &tasks->history[history], .g = ret};
	d.first = malloc((d.h->passages + 1) * sizeof *d.first);
	d.last = malloc((d.h->passages + 1) * sizeof *d.last);
	if (d.first && d.last) {
		event_graph(&d);
		vertices(&d);
		arcs(&d);
	} else
		d.no_memory = true;
	free(d.first);
	free(d.last);
	return !d.no_memory;
}

void hb_tasks_graph_free(hb_tasks_graph *g)
{
	free(g->event_arc);
	free(g->vertex);
	free(g->arc);
	*g = (hb_tasks_graph){0};
}
