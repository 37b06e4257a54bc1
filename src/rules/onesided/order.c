/* The order of accesses: by the model's clocks, and post and start of their epochs. */
#include "rules/onesided/order.h"

#include <stdlib.h>
#include <string.h>

static int by_place(const void *a, const void *b)
{
	const hb_at *x = a, *y = b;
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return (x->event > y->event) - (x->event < y->event);
}

/* The exit of the event before; event 0: the begin of the line. */
static hb_at before(uint32_t line, uint32_t event) { return (hb_at){line, event ? event - 1 : 0}; }

static size_t index_of(const struct hb__points *p, hb_at at)
{
	size_t from = 0, to = p->n;
	while (from < to) {
		size_t middle = (from + to) / 2;
		if (by_place(&p->at[middle], &at) < 0)
			from = middle + 1;
		else
			to = middle;
	}
	return from < p->n && !by_place(&p->at[from], &at) ? from : SIZE_MAX;
}

static bool visit(void *user, const hb_stamp *stamp)
{
	struct hb__points *p = user;
	size_t i = index_of(p, stamp->at);
	if (i == SIZE_MAX)
		return true;
	memcpy(p->clock + i * p->lines, stamp->clock, p->lines * sizeof *p->clock);
	p->time[i] = stamp->lamport;
	return true;
}

hb_status hb__points_make(struct hb__onesided *o, struct hb__points *ret)
{
	*ret = (struct hb__points){.lines = hb_model_get_info(o->c->model)->lines};
	ret->at = calloc(2 * o->naccesses + 1, sizeof *ret->at);
	if (!ret->at)
		return hb__onesided_no_memory(o->err);
	for (size_t i = 0; i < o->naccesses; i++) {
		const struct hb__access *a = &o->access[i];
		ret->at[ret->n++] = before(a->line, a->start);
		if (a->post.line != HB_NO)
			ret->at[ret->n++] = before(a->post.line, a->post.event);
	}
	if (ret->n)
		qsort(ret->at, ret->n, sizeof *ret->at, by_place);
	size_t kept = 0;
	for (size_t i = 0; i < ret->n; i++)
		if (!kept || by_place(&ret->at[kept - 1], &ret->at[i]))
			ret->at[kept++] = ret->at[i];
	ret->n = kept;
	ret->clock = calloc(kept * ret->lines + 1, sizeof *ret->clock);
	ret->time = calloc(kept + 1, sizeof *ret->time);
	if (!ret->clock || !ret->time)
		return hb__onesided_no_memory(o->err);
	hb_clock_options options = {.visit = visit, .user = ret, .edges = o->edges, .nedges = o->nedges};
	return hb_clocks_run_with(o->c->model, &options, NULL, NULL, o->err);
}

void hb__points_free(struct hb__points *p)
{
	free(p->at);
	free(p->clock);
	free(p->time);
}

void hb__points_times(const struct hb__points *p, struct hb__onesided *o)
{
	for (size_t i = 0; i < o->naccesses; i++) {
		size_t k = index_of(p, before(o->access[i].line, o->access[i].start));
		o->access[i].time = k == SIZE_MAX ? 0 : p->time[k];
	}
}

/* The end of `a` is in the PAST of the point before event `event` of the line. */
static bool past(const struct hb__points *p, const struct hb__access *a, uint32_t line, uint32_t event)
{
	if (a->done_line == line)
		return a->done_exit ? a->done < event : a->done <= event;
	size_t i = index_of(p, before(line, event));
	return i != SIZE_MAX && p->clock[i * p->lines + a->done_line] >= a->done + a->done_exit;
}

bool hb__over_before(const struct hb__points *p, const struct hb__access *a, const struct hb__access *b)
{
	if (!a->done)
		return false;
	if (a->done_line ==
		b->line) /* own uses of memory are over at once: between the same two calls the remarks have an order */
		return a->done < b->start ||
		       (a->done == b->start && a->local && !a->seq && !a->done_exit && a->remark < b->remark);
	return past(p, a, b->line, b->start) || (b->post.line != HB_NO && past(p, a, b->post.line, b->post.event));
}
