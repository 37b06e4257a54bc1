/* Where tasks stand: what is still to happen, could happen without anything else, and did not. */
#include <stdlib.h>

#include "base/grow.h"
#include "rules/tasks/tasks.h"

static const char generator[] = "data_generator()", receiver[] = "result_receiver()";

typedef struct search {
	const hb_tasks *t;
	const hb_tasks_history *h;
	hb_tasks_report *report;
	bool no_memory;
} search;

static void add(search *s, hb_tasks_fault fault, uint32_t node, hb_tasks_sub sub, const char *process, uint32_t event)
{
	hb_tasks_report *r = s->report;
	if (!HB_GROW(r->error, r->room, r->errors + 1)) {
		s->no_memory = true;
		return;
	}
	r->error[r->errors++] = (hb_tasks_error){.fault = fault,
		.task = s->h->task,
		.until = s->h->task,
		.sub = sub,
		.skips = s->h->skips,
		.node = node,
		.process = process,
		.event = event};
}

/* A task came and nothing followed. */
static const char *open_process(const search *s, const hb_tasks_passage *p)
{
	const hb_tasks_spec *spec = &s->t->trace->spec;
	int32_t function = hb_tasks_is_function(spec, p->low);
	bool hosts = s->t->trace->hosts;
	if (p->kind == HB_TASKS_SOURCE)
		return generator;
	if (function)
		return function == HB_TASKS_COMP_FN ? "comp_fn()" : "split_fn()";
	/* the digit of a node 0 that only hands out is not there for others */
	uint32_t used = p->sub.length + (s->h->skips && !hosts);
	bool splits = spec->degree > 1 && used < spec->depth - 1 && (hosts || hb_tasks_has_children(spec, p->low));
	return splits ? "split_fn()/comp_fn()" : "comp_fn()";
}

/* A task arrived at a node, or in a function of it, and its result has not left. */
static void stands(search *s, const hb_tasks_passage *p)
{
	uint32_t parts = (uint32_t)__builtin_popcountll(p->parts), node = hb_tasks_node_of(&s->t->trace->spec, p->low);
	if (p->made && parts < s->t->trace->spec.degree)
		add(s, HB_TASKS_DISTRIBUTING, node, p->sub, "Distributing", p->last);
	else if (!parts && !p->passed)
		add(s, HB_TASKS_IN_FUNCTION, node, p->sub, open_process(s, p), p->last);
	else if (parts && parts < s->t->trace->spec.degree)
		add(s, HB_TASKS_IN_FUNCTION, node, p->sub, "split_fn()", p->last);
	else if (parts && p->returned == parts)
		add(s, HB_TASKS_IN_FUNCTION, node, p->sub, "join_fn()", p->last);
	else if (p->passed && p->returned && p->kind == HB_TASKS_SOURCE)
		add(s, HB_TASKS_IN_FUNCTION, node, p->sub, receiver, p->last);
	else if (p->passed && p->returned)
		add(s, HB_TASKS_COLLECTING, node, p->sub, "Collecting", p->last);
}

/* Node 0 where a result from there goes to a receiver of its own. */
static uint32_t above(const search *s, uint32_t low) { return low ? hb_tasks_parent(&s->t->trace->spec, low) : 0; }

static void look_at(search *s, const hb_tasks_passage *p)
{
	bool hosts = s->t->trace->hosts;
	if (p->kind >= HB_TASKS_SINK)
		return;
	if (p->kind == HB_TASKS_SOURCE && hosts) {
		/* its only other event is the passage to node 0, which stands next */
		if (s->h->passages == 1)
			add(s, HB_TASKS_IN_FUNCTION, 0, p->sub, generator, p->receive);
		return;
	}
	if (p->receive == HB_TASKS_NONE) {
		if (p->kind == HB_TASKS_DOWN)
			add(s, HB_TASKS_DISTRIBUTING, p->low, p->sub, "Distributing", p->send);
		else
			add(s, HB_TASKS_COLLECTING, above(s, p->low), p->sub, "Collecting", p->send);
		return;
	}
	if (p->kind == HB_TASKS_UP) {
		if (hosts && !p->low && p->result == HB_TASKS_NONE)
			add(s, HB_TASKS_IN_FUNCTION, 0, p->sub, receiver, p->receive);
		return;
	}
	if (p->result == HB_TASKS_NONE)
		stands(s, p);
}

static void one_task(search *s)
{
	const hb_tasks_history *h = s->h;
	size_t before = s->report->errors;
	if (h->task < 0 || h->task >= s->t->trace->spec.tasks)
		add(s, HB_TASKS_WRONG_NUMBER, 0, (hb_tasks_sub){0}, generator, s->t->by_task[h->first]);
	else if (h->sources > 1)
		add(s, HB_TASKS_GENERATED_TWICE, 0, (hb_tasks_sub){0}, generator, s->t->by_task[h->first]);
	for (uint32_t i = 0; i < h->passages; i++)
		look_at(s, &s->t->passage[h->passage + i]);
	if (s->report->errors == before)
		s->report->complete++;
	else
		s->report->incomplete++;
}

/* ---- generation ---- */

static void not_generated(search *s, int64_t from, int64_t until)
{
	hb_tasks_history none = {.task = from, .skips = true};
	s->h = &none;
	add(s, HB_TASKS_NOT_GENERATED, 0, (hb_tasks_sub){0}, generator, HB_TASKS_NONE);
	if (!s->no_memory)
		s->report->error[s->report->errors - 1].until = until;
}

/* A task that is missing before another one is an error. Those behind the last one are, when nothing else is wrong: else the generator
 * may have had to wait. */
static void generation(search *s)
{
	int64_t next = 0, tasks = s->t->trace->spec.tasks;
	size_t errors = s->report->errors;
	for (size_t i = 0; i < s->t->histories; i++) {
		int64_t task = s->t->history[i].task;
		if (task < 0 || task >= tasks)
			continue;
		if (task > next)
			not_generated(s, next, task - 1);
		next = task + 1;
	}
	s->report->not_generated = -1;
	if (next < tasks && !errors)
		not_generated(s, next, tasks - 1);
	else if (next < tasks)
		s->report->not_generated = next;
}

static int by_place(const void *a, const void *b)
{
	const hb_tasks_error *x = a, *y = b;
	if (x->task != y->task)
		return x->task < y->task ? -1 : 1;
	if (x->node != y->node)
		return x->node < y->node ? -1 : 1;
	if (x->sub.length != y->sub.length)
		return x->sub.length < y->sub.length ? -1 : 1;
	if (x->sub.part != y->sub.part)
		return x->sub.part < y->sub.part ? -1 : 1;
	return (int)x->fault - (int)y->fault;
}

bool hb_tasks_check(const hb_tasks *tasks, hb_tasks_report *ret)
{
	search s = {.t = tasks, .report = ret};
	for (size_t i = 0; i < tasks->histories; i++) {
		s.h = &tasks->history[i];
		one_task(&s);
	}
	generation(&s);
	if (ret->errors)
		qsort(ret->error, ret->errors, sizeof *ret->error, by_place);
	return !s.no_memory;
}

void hb_tasks_report_free(hb_tasks_report *report)
{
	free(report->error);
	*report = (hb_tasks_report){0};
}
