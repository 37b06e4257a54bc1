/* Short time stamps on a tree. */
#include "rules/tasks/stamps.h"

#include <stdlib.h>

static uint32_t children(const hb_tasks_spec *spec, uint32_t node)
{
	if (!hb_tasks_has_children(spec, node))
		return 0;
	if (!node)
		return spec->topology == HB_TASKS_STAR ? spec->processors - 1 : 1;
	uint32_t first = spec->topology * (node - 1) + 2, most = spec->processors - first;
	return most < spec->topology ? most : spec->topology;
}

/* Which of its neighbours: the parent (of node 0: generator and receiver) before the children. */
static uint32_t slot(const hb_tasks_spec *spec, int32_t node, int32_t other)
{
	if (node < 0)
		return 0;
	if (other < 0)
		return (uint32_t)(-1 - other);
	if (!node)
		return 2 + (uint32_t)other - 1;
	if (hb_tasks_parent(spec, (uint32_t)node) == (uint32_t)other)
		return 0;
	return 1 + (uint32_t)other - (spec->topology * ((uint32_t)node - 1) + 2);
}

static uint32_t *seen_of(const hb_tasks_stamps *s, int32_t node, uint32_t number)
{
	uint32_t p = hb_tasks_clock_of(s->trace, node);
	return s->seen + s->seen_at[p] + (size_t)(number - 1) * s->neighbours[p];
}

/* An event that is replayed: what the one before it had seen, and of a receive its message, which carries one number. */
static void stamp(void *user, uint32_t event, const uint32_t *clock)
{
	(void)clock;
	const hb_tasks *t = ((void **)user)[0];
	hb_tasks_stamps *s = ((void **)user)[1];
	const hb_tasks_event *e = &s->trace->event[event];
	uint32_t *seen = seen_of(s, e->node, s->number[event]), n = s->neighbours[hb_tasks_clock_of(s->trace, e->node)];
	for (uint32_t i = 0; i < n && s->number[event] > 1; i++)
		seen[i] = (seen - n)[i];
	if (!e->receive || t->partner[event] == HB_TASKS_NONE)
		return;
	uint32_t sent = s->number[t->partner[event]], *to = &seen[slot(&s->trace->spec, e->node, e->other)];
	if (sent > *to)
		*to = sent;
}

static bool count(hb_tasks_stamps *s)
{
	const hb_tasks_trace *trace = s->trace;
	uint32_t processes = hb_tasks_clocks(trace);
	s->number = malloc((trace->n + 1) * sizeof *s->number);
	s->event = malloc((trace->n + 1) * sizeof *s->event);
	s->first = calloc(processes + 1, sizeof *s->first);
	s->seen_at = calloc(processes + 1, sizeof *s->seen_at);
	s->neighbours = calloc(processes + 1, sizeof *s->neighbours);
	if (!s->number || !s->event || !s->first || !s->seen_at || !s->neighbours)
		return false;
	for (size_t i = 0; i < trace->n; i++)
		s->number[i] = (uint32_t)++s->first[hb_tasks_clock_of(trace, trace->event[i].node)];
	size_t at = 0;
	for (uint32_t p = 0; p < processes; p++) {
		size_t events = s->first[p];
		s->neighbours[p] = p >= trace->spec.processors ? 1 : children(&trace->spec, p) + (p ? 1 : 2);
		s->first[p] = at;
		s->seen_at[p] = s->seen_all;
		at += events;
		s->seen_all += events * s->neighbours[p];
	}
	for (size_t i = 0; i < trace->n; i++)
		s->event[s->first[hb_tasks_clock_of(trace, trace->event[i].node)] + s->number[i] - 1] = (uint32_t)i;
	s->seen = calloc(s->seen_all + 1, sizeof *s->seen);
	return s->seen != NULL;
}

bool hb_tasks_stamp(const hb_tasks *tasks, hb_tasks_stamps *ret, hb_tasks_trouble *trouble)
{
	const void *both[] = {tasks, ret};
	ret->trace = tasks->trace;
	if (!count(ret)) {
		trouble->memory = true;
		return false;
	}
	return hb_tasks_replay(tasks, false, stamp, both, trouble);
}

/* The next node on the way from one to another. */
static int32_t towards(const hb_tasks_spec *spec, int32_t from, int32_t to)
{
	if (from < 0)
		return 0;
	if (to < 0)
		return from ? (int32_t)hb_tasks_parent(spec, (uint32_t)from) : to;
	for (uint32_t up = (uint32_t)to; up > (uint32_t)from;) {
		uint32_t parent = hb_tasks_parent(spec, up);
		if (parent == (uint32_t)from)
			return (int32_t)up;
		up = parent;
	}
	return (int32_t)hb_tasks_parent(spec, (uint32_t)from);
}

bool hb_tasks_before(const hb_tasks_stamps *s, uint32_t a, uint32_t b)
{
	const hb_tasks_event *event = s->trace->event;
	int32_t node = event[b].node, goal = event[a].node;
	uint32_t number = s->number[b];
	if (node == goal)
		return s->number[a] < number;
	while (node != goal) {
		int32_t next = towards(&s->trace->spec, node, goal);
		number = seen_of(s, node, number)[slot(&s->trace->spec, node, next)];
		if (!number)
			return false;
		node = next;
	}
	return s->number[a] <= number;
}

void hb_tasks_stamps_free(hb_tasks_stamps *s)
{
	free(s->number);
	free(s->event);
	free(s->first);
	free(s->seen_at);
	free(s->neighbours);
	free(s->seen);
	*s = (hb_tasks_stamps){0};
}
