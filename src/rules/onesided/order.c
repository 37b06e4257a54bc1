/* The order of accesses: by the model's clocks, and by the call of the target that exposes its memory to them. */
#include "base/grow.h"
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

/* Where an access begins, and where the other threads of its process stand then. */
static bool add(struct hb__points *p, size_t *room, const struct hb__window_access *a)
{
	uint32_t first, n = hb__threads_of(p->threads, a->line, &first);
	for (uint32_t i = 0; i < n + 1; i++) {
		bool post = i == n;
		uint32_t line = first + i;
		if (post && a->post.line == HB_NO)
			break;
		if (!HB_GROW(p->at, *room, p->n + 1))
			return false;
		p->at[p->n++] = post ? before(a->post.line, a->post.event)
				: line == a->line
					? before(line, a->start)
					: before(line, hb__threads_known(p->threads, a->line, a->start, line));
	}
	return true;
}

hb_status hb__points_make(struct hb__onesided *o, struct hb__points *ret)
{
	size_t room = 0;
	*ret = (struct hb__points){.lines = hb_model_get_info(o->c->model)->lines};
	hb_status status = hb__threads_open(o, &ret->threads);
	for (size_t i = 0; !status && i < o->naccesses; i++)
		if (!add(ret, &room, &o->access[i]))
			status = hb__onesided_no_memory(o->err);
	if (status)
		return status;
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
	return hb_clocks_run(o->c->model, visit, ret, NULL, NULL, o->err);
}

void hb__points_free(struct hb__points *p)
{
	free(p->at);
	free(p->clock);
	free(p->time);
	hb__threads_close(p->threads);
}

void hb__points_times(const struct hb__points *p, struct hb__onesided *o)
{
	for (size_t i = 0; i < o->naccesses; i++) {
		size_t k = index_of(p, before(o->access[i].line, o->access[i].start));
		o->access[i].time = k == SIZE_MAX ? 0 : p->time[k];
	}
}

/* Event `done` of a line, which it takes part in (exit: which is over), is in the PAST of the point before event `event` of another. */
static bool past(const struct hb__points *p, hb_at done, bool exit, uint32_t line, uint32_t event)
{
	if (done.line == line)
		return exit ? done.event < event : done.event <= event;
	size_t i = index_of(p, before(line, event));
	return i != SIZE_MAX && p->clock[i * p->lines + done.line] >= done.event + exit;
}

/* The same, by way of other threads of both processes. */
static bool told(const struct hb__points *p, const struct hb__window_access *a, const struct hb__window_access *b)
{
	uint32_t from, to, n = hb__threads_of(p->threads, a->done_line, &from),
			   m = hb__threads_of(p->threads, b->line, &to);
	for (uint32_t i = 0; n + m > 2 && i < n; i++) {
		hb_at done = {from + i, a->done};
		bool exit = a->done_exit && done.line == a->done_line;
		if (done.line != a->done_line)
			done.event = hb__threads_next(p->threads, a->done_line, a->done, done.line);
		for (uint32_t k = 0; k < m; k++) {
			uint32_t event =
				to + k == b->line ? b->start : hb__threads_known(p->threads, b->line, b->start, to + k);
			if (past(p, done, exit, to + k, event))
				return true;
		}
	}
	return false;
}

bool hb__over_before(const struct hb__points *p, const struct hb__window_access *a, const struct hb__window_access *b)
{
	hb_at done = {a->done_line, a->done};
	if (!a->done)
		return false;
	if (a->done_line ==
		b->line) /* own uses of memory are over at once: between the same two calls the remarks have an order */
		return a->done < b->start ||
		       (a->done == b->start && a->local && !a->seq && !a->done_exit && a->remark < b->remark);
	return past(p, done, a->done_exit, b->line, b->start) ||
	       (b->post.line != HB_NO && past(p, done, a->done_exit, b->post.line, b->post.event)) || told(p, a, b);
}
