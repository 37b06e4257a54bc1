/* Threads of a process tell each other by means that no recording shows (a start, a join, a mutex) what they have done. What one of them
 * did before another one went on is therefore taken to be known to it: by the clock, which all of them share. */
#include <stdlib.h>

#include "rules/onesided/order.h"

struct hb__threads {
	const hb_model *m;
	struct times {
		uint64_t *enter, *exit; /* by event, from 1; NULL: of a process with one thread */
	} * line;
};

static hb_status read_times(struct hb__onesided *o, uint32_t number, struct times *ret)
{
	const hb_line *line = &hb_model_lines(o->c->model)[number];
	hb_events *events;
	hb_event e;
	uint32_t n = 0;
	int more = 1;
	ret->enter = calloc((size_t)line->events + 2, sizeof *ret->enter);
	ret->exit = calloc((size_t)line->events + 2, sizeof *ret->exit);
	if (!ret->enter || !ret->exit)
		return hb__onesided_no_memory(o->err);
	hb_status status =
		hb_events_open(hb_model_processes(o->c->model)[line->process].log, line->lane, &events, o->err);
	if (status)
		return status;
	while (n < line->events && (more = hb_events_next(events, &e, o->err)) == 1) {
		ret->enter[++n] = e.row->enter;
		ret->exit[n] = e.row->exit;
	}
	if (n < line->events && more >= 0 && hb_events_inside(events, &e) == 1) {
		ret->enter[++n] = e.row->enter;
		ret->exit[n] = UINT64_MAX;
	}
	while (n < line->events) {
		ret->enter[++n] = UINT64_MAX;
		ret->exit[n] = UINT64_MAX;
	}
	hb_events_close(events);
	return HB_OK;
}

hb_status hb__threads_open(struct hb__onesided *o, struct hb__threads **ret)
{
	const hb_model *m = o->c->model;
	struct hb__threads *t = calloc(1, sizeof *t);
	hb_status status = HB_OK;
	*ret = t;
	if (!t || !(t->line = calloc((size_t)hb_model_get_info(m)->lines + 1, sizeof *t->line)))
		return hb__onesided_no_memory(o->err);
	t->m = m;
	for (uint32_t p = 0; p < hb_model_get_info(m)->processes; p++) {
		const hb_process *process = &hb_model_processes(m)[p];
		for (uint32_t i = 0; !status && process->nlines > 1 && i < process->nlines; i++)
			status = read_times(o, process->first_line + i, &t->line[process->first_line + i]);
	}
	return status;
}

void hb__threads_close(struct hb__threads *t)
{
	for (uint32_t i = 0; t && t->line && i < hb_model_get_info(t->m)->lines; i++) {
		free(t->line[i].enter);
		free(t->line[i].exit);
	}
	if (t)
		free(t->line);
	free(t);
}

uint32_t hb__threads_of(const struct hb__threads *t, uint32_t line, uint32_t *ret_first)
{
	const hb_process *p = &hb_model_processes(t->m)[hb_model_lines(t->m)[line].process];
	*ret_first = p->first_line;
	return p->nlines;
}

/* How many events of a line, from the first on, the times of which are below `time`, or at most that. */
static uint32_t below(const struct hb__threads *t, uint32_t line, const uint64_t *at, uint64_t time, bool equal)
{
	uint32_t low = 1, high = hb_model_lines(t->m)[line].events + 1;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (at[middle] < time || (equal && at[middle] == time))
			low = middle + 1;
		else
			high = middle;
	}
	return low - 1;
}

uint32_t hb__threads_known(const struct hb__threads *t, uint32_t line, uint32_t event, uint32_t other)
{
	uint64_t time = event <= hb_model_lines(t->m)[line].events ? t->line[line].enter[event] : UINT64_MAX;
	return below(t, other, t->line[other].exit, time, false) + 1;
}

uint32_t hb__threads_next(const struct hb__threads *t, uint32_t line, uint32_t event, uint32_t other)
{
	uint64_t time = event <= hb_model_lines(t->m)[line].events ? t->line[line].exit[event] : UINT64_MAX;
	return below(t, other, t->line[other].enter, time, true) + 1;
}
