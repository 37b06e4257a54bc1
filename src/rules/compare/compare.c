/* Pairs processes and threads of two runs and walks each pair of lines. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

static hb_status fail(hb_error *err, hb_status status, const char *text)
{
	*err = (hb_error){.status = status};
	snprintf(err->message, sizeof err->message, "%s", text);
	return status;
}

static uint32_t process_named(const hb_model *m, const char *name, uint32_t near)
{
	uint32_t n = hb_model_get_info(m)->processes;
	const hb_process *p = hb_model_processes(m);
	for (uint32_t i = 0; i < n; i++) { /* mostly the first that is asked */
		uint32_t k = (near + i) % n;
		if (!strcmp(p[k].name, name))
			return k;
	}
	return HB_NO;
}

/* The runs have the same processes: else nothing of them can be compared. */
static hb_status same_processes(struct hb__comparison *c)
{
	char text[200];
	const hb_model *a = c->run[0]->model, *b = c->run[1]->model;
	uint32_t n = hb_model_get_info(a)->processes, m = hb_model_get_info(b)->processes;
	if (n != m) {
		snprintf(text, sizeof text, "the first run has %u processes and the second %u", n, m);
		return fail(c->err, HB_E_ARGUMENT, text);
	}
	for (uint32_t i = 0; i < n; i++) {
		const char *name = hb_model_processes(a)[i].name;
		if (process_named(b, name, i) != HB_NO)
			continue;
		snprintf(text, sizeof text, "process %s of the first run is not in the second", name);
		return fail(c->err, HB_E_ARGUMENT, text);
	}
	return HB_OK;
}

static uint64_t thread_of(const hb_process *p, uint32_t lane)
{
	hb_lane_info info;
	return hb_log_lane(p->log, lane, &info) ? 0 : info.thread;
}

/* The line of b whose thread was made as that of a line of a. */
static uint32_t partner_of(const struct hb__comparison *c, uint32_t line)
{
	const hb_model *a = c->run[0]->model, *b = c->run[1]->model;
	const hb_line *l = &hb_model_lines(a)[line];
	const hb_process *p = &hb_model_processes(a)[l->process];
	uint32_t other = process_named(b, p->name, l->process);
	const hb_process *q = &hb_model_processes(b)[other];
	if (!p->log || !q->log)
		return HB_NO;
	uint64_t thread = thread_of(p, l->lane);
	for (uint32_t i = 0; i < q->nlines; i++) {
		uint32_t lane = hb_model_lines(b)[q->first_line + i].lane;
		if (thread_of(q, lane) == thread)
			return q->first_line + i;
	}
	return HB_NO;
}

static hb_status pair_lines(struct hb__comparison *c)
{
	const hb_model *a = c->run[0]->model, *b = c->run[1]->model;
	uint32_t n = hb_model_get_info(a)->lines, m = hb_model_get_info(b)->lines;
	bool *taken = calloc((size_t)m + 1, sizeof *taken);
	if (!taken)
		return fail(c->err, HB_E_MEMORY, "out of memory");
	for (uint32_t i = 0; i < n; i++) {
		uint32_t other = partner_of(c, i);
		c->pair[i] = (struct hb__pair){.a = i, .b = other};
		if (other != HB_NO)
			taken[other] = true;
	}
	for (uint32_t i = 0; i < m; i++) {
		bool logged = hb_model_processes(b)[hb_model_lines(b)[i].process].log;
		c->sum->only_b += !taken[i] && logged && hb_model_lines(b)[i].events;
	}
	free(taken);
	return HB_OK;
}

/* A thread that only the first run has, or whose log the second one lacks. */
static void alone(struct hb__comparison *c, const struct hb__pair *pair)
{
	const hb_model *a = c->run[0]->model, *b = c->run[1]->model;
	const hb_line *l = &hb_model_lines(a)[pair->a];
	const hb_process *p = &hb_model_processes(a)[l->process];
	const hb_process *q = &hb_model_processes(b)[process_named(b, p->name, l->process)];
	if (!p->log || !q->log || p->cut || q->cut) {
		c->sum->cut[0] += !p->log || p->cut;
		c->sum->cut[1] += !q->log || q->cut;
		return;
	}
	if (!l->events)
		return;
	c->candidate[pair->a].there = true;
	c->candidate[pair->a].d =
		(hb_difference){.kind = HB_DIFFERENCE_END, .a = {pair->a, 1}, .b = {HB_NO, 0}, .collective = HB_NO};
}

static hb_status walk_all(struct hb__comparison *c)
{
	hb_status status = HB_OK;
	uint32_t n = hb_model_get_info(c->run[0]->model)->lines;
	for (uint32_t i = 0; i < n && !status; i++) {
		if (c->pair[i].b == HB_NO)
			alone(c, &c->pair[i]);
		else
			status = hb__walk_line(c, &c->pair[i]);
	}
	c->sum->lines = n;
	return status;
}

static void count(struct hb__comparison *c)
{
	const hb_process *p = hb_model_processes(c->run[0]->model);
	bool whole = c->run[0]->whole && c->run[1]->whole;
	c->sum->processes = hb_model_get_info(c->run[0]->model)->processes;
	for (uint32_t i = 0; i < c->sum->processes; i++) {
		uint32_t other = process_named(c->run[1]->model, p[i].name, i);
		if (p[i].log && !(whole && c->run[0]->contents[i] && c->run[1]->contents[other]))
			c->sum->unseen += hb__unseen(p[i].log);
		if (p[i].log)
			c->sum->shared += hb__shared_windows(p[i].log);
	}
}

hb_status hb_compare(const hb_compare_run *a, const hb_compare_run *b, const hb_tolerance *tolerance,
	hb_difference_visit *visit, void *user, hb_compared *ret_compared, hb_progress *progress, void *progress_user,
	hb_error *err)
{
	hb_error own;
	*ret_compared = (hb_compared){0};
	struct hb__comparison c = {.run = {a, b},
		.tolerance = tolerance,
		.sum = ret_compared,
		.progress = progress,
		.progress_user = progress_user,
		.err = err ? err : &own};
	size_t lines = (size_t)hb_model_get_info(a->model)->lines + 1;
	hb_status status = same_processes(&c);
	c.candidate = calloc(lines, sizeof *c.candidate);
	c.blamed = calloc(lines, sizeof *c.blamed);
	c.pair = calloc(lines, sizeof *c.pair);
	if (!status && (!c.candidate || !c.blamed || !c.pair))
		status = fail(c.err, HB_E_MEMORY, "out of memory");
	status = status ? status : pair_lines(&c);
	status = status ? status : walk_all(&c);
	if (!status)
		count(&c);
	status = status ? status : hb__find_first(&c, visit, user);
	free(c.candidate);
	free(c.blamed);
	free(c.pair);
	return status;
}
