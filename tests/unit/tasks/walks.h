/* Random histories of a farm: each task goes down a random way in the tree and its result comes back, all of them mixed. */
#ifndef TESTS_UNIT_TASKS_WALKS_H
#define TESTS_UNIT_TASKS_WALKS_H

#include <stdlib.h>
#include <string.h>

#include "rules/tasks/stamps.h"

static uint64_t walks_seed = 1;

static inline uint32_t walks_random(uint32_t below)
{
	walks_seed = walks_seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)((walks_seed >> 33) % below);
}

typedef struct walk {
	uint32_t goal, depth; /* levels */
	uint32_t step;        /* events so far, source and sink among them */
} walk;

/* Where it is after so many steps down. */
static inline uint32_t walks_node(const hb_tasks_spec *spec, uint32_t goal, uint32_t depth, uint32_t level)
{
	for (; depth > level; depth--)
		goal = hb_tasks_parent(spec, goal);
	return goal;
}

/* The next event of a task. Down: send, receive for each level; then the same up. */
static inline hb_tasks_event walks_event(const hb_tasks_spec *spec, walk *w, uint32_t task, int64_t time)
{
	hb_tasks_event e = {.time = time, .task = task};
	uint32_t step = w->step++, way = 2 * w->depth;
	if (!step || step == 2 * way + 1) {
		e.other = step ? HB_TASKS_RECEIVER : HB_TASKS_GENERATOR;
		e.receive = !step;
		return e;
	}
	bool up = step > way;
	uint32_t at = up ? step - way - 1 : step - 1, level = up ? w->depth - at / 2 : at / 2;
	uint32_t from = walks_node(spec, w->goal, w->depth, level),
		 to = walks_node(spec, w->goal, w->depth, up ? level - 1 : level + 1);
	e.receive = at % 2;
	e.node = (int32_t)(e.receive ? to : from);
	e.other = (int32_t)(e.receive ? from : to);
	return e;
}

static inline void walks_make(const hb_tasks_spec *spec, hb_tasks_trace *ret)
{
	uint32_t active = spec->tasks, *task = malloc(active * sizeof *task);
	walk *w = calloc(active, sizeof *w);
	size_t n = 0;
	if (!task || !w)
		abort();
	*ret = (hb_tasks_trace){.name = "walks", .spec = *spec};
	for (uint32_t i = 0; i < spec->tasks; i++) {
		task[i] = i;
		w[i].goal = walks_random(spec->processors);
		w[i].depth = hb_tasks_level(spec, w[i].goal);
		n += 4 * w[i].depth + 2;
	}
	ret->event = malloc(n * sizeof *ret->event);
	if (!ret->event)
		abort();
	while (active) {
		/* few at a time, so that they are near each other */
		uint32_t pick = walks_random(active < 20 ? active : 20), t = task[pick];
		ret->event[ret->n] = walks_event(spec, &w[t], t, (int64_t)ret->n * 1000);
		ret->event[ret->n].line = (uint32_t)ret->n + 1;
		ret->n++;
		if (w[t].step == 4 * w[t].depth + 2)
			task[pick] = task[--active];
	}
	free(task);
	free(w);
}

#endif
