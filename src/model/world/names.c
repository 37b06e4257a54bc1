/* What processes are called: hbdb-recording(5), WORLDS. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/world/crossing.h"

const char *hb_process_range(uint32_t world, int32_t first, int32_t last, hb_process_name ret)
{
	int n = snprintf(ret, HB_PROCESS_NAME, first == last ? "%d" : "%d-%d", first, last);
	if (world)
		snprintf(ret + n, (size_t)(HB_PROCESS_NAME - n), "@%u", world);
	return ret;
}

/* Who makes processes makes one after the other, so that their times, and within a tick their numbers, are in the order in which it
 * did: the same in every run, whatever they do then. */
bool hb__made_before(const hb_log *a, const hb_log *b)
{
	const hb_ancestor *x = hb_log_ancestor(a, 0), *y = hb_log_ancestor(b, 0);
	const hb_identity *i = hb_log_identity(a), *k = hb_log_identity(b);
	if (!x || !y)
		return x ? true : y ? false : i && k && i->began < k->began;
	for (uint32_t at = 1; x && y && x->pid == y->pid && x->started == y->started; at++) {
		x = hb_log_ancestor(a, at);
		y = hb_log_ancestor(b, at);
	}
	if (!x && !y) /* the same process, with one program after the other */
		return i && k && i->began < k->began;
	if (!x || !y)
		return !x;
	return x->started != y->started ? x->started < y->started : x->pid < y->pid;
}

struct named {
	const hb_log *log;
	uint32_t at;
	char program[HB_PROGRAM_NAME];
};

static int in_order(const void *a, const void *b)
{
	const struct named *x = a, *y = b;
	int program = strcmp(x->program, y->program);
	return program ? program : hb__made_before(x->log, y->log) ? -1 : hb__made_before(y->log, x->log);
}

bool hb__name_processes(const hb_log_named *logs, size_t n, hb_worlds *w)
{
	struct named *outside = calloc(n + 1, sizeof *outside);
	size_t some = 0;
	w->name = calloc(n + 1, sizeof *w->name);
	for (size_t i = 0; outside && w->name && i < n; i++) {
		const hb_world *world = &w->world[w->of[i]];
		hb_process_range(world->number, logs[i].rank, logs[i].rank, w->name[i]);
		if (!world->outside)
			continue;
		outside[some] = (struct named){.log = logs[i].log, .at = (uint32_t)i};
		hb_program_name(hb_log_get_info(logs[i].log)->program, outside[some++].program);
	}
	if (outside)
		qsort(outside, some, sizeof *outside, in_order);
	for (uint32_t i = 0, nth = 0; w->name && i < some; i++) {
		nth = i && !strcmp(outside[i].program, outside[i - 1].program) ? nth + 1 : 1;
		snprintf(w->name[outside[i].at], HB_PROCESS_NAME, nth > 1 ? "%s#%u" : "%s", outside[i].program, nth);
	}
	free(outside);
	return outside && w->name;
}
