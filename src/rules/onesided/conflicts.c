/* Conflicting accesses to the same bytes that nothing orders. The bytes of each target process are cut at the ends of all accesses;
 * the accesses are gone through in an order that the program's allows, and each piece keeps the last access of every kind
 * and process: what is over before one of them is over before it, too. (As in FastTrack, Flanagan and Freund 2009.) */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "rules/onesided/order.h"

#define BUDGET 200000000ull /* comparisons; a run that needs more is not searched to its end */
#define REPORTS 2000

struct last {
	uint32_t access, next;
};

struct sweep {
	struct hb__onesided *o;
	struct hb__points points;
	struct hb__hidden hidden;
	uint32_t *order; /* accesses by target, then by time */
	int64_t *cut;
	uint32_t *head; /* by piece: 1 + last */
	size_t ncuts;
	struct last *last;
	size_t nlast, last_room;
	uint64_t compared;
	uint32_t reports;
};

/* ---- two accesses ---- */

/* Accumulates may meet when they do the same with the same type. */
static bool may_meet(const struct hb__window_access *a, const struct hb__window_access *b)
{
	if (a->touching != HB__ACCUMULATES || b->touching != HB__ACCUMULATES)
		return false;
	if (a->type != b->type)
		return a->type < 0 || b->type < 0;
	if (a->swap || b->swap || a->operation == b->operation)
		return true;
	return a->operation == HB_OPERATION_NO_OP || b->operation == HB_OPERATION_NO_OP ||
	       a->operation == HB_OPERATION_REPLACE || b->operation == HB_OPERATION_REPLACE;
}

static bool conflict(const struct hb__window_access *a, const struct hb__window_access *b)
{
	if (a->touching == HB__READS && b->touching == HB__READS)
		return false;
	if ((a->local && b->local) || may_meet(a, b) || a->inexact || b->inexact)
		return false;
	if (a->seq && a->seq == b->seq && a->process == b->process)
		return false;
	if (a->process != b->process && a->locked && b->locked && (a->exclusive || b->exclusive))
		return false;
	/* Its exposure is not known, so neither is what is ordered by it. */
	bool lost = (a->pscw && a->post.line == HB_NO) || (b->pscw && b->post.line == HB_NO);
	return !lost || a->process == b->process;
}

static const char *verb(const struct hb__window_access *a)
{
	return a->touching == HB__READS ? "reads" : a->touching == HB__WRITES ? "writes" : "updates";
}

static void place(const struct hb__onesided *o, const struct hb__window_access *a, hb_point *ret)
{
	const hb_remark *r = &o->c->remarks->at[a->told];
	*ret = hb__point_of_call(r);
	if (r->word == HB_REMARK_TOUCHED) {
		snprintf(ret->function, sizeof ret->function, "%s", a->touching == HB__READS ? "a load" : "a store");
		ret->site = r->touch->by;
	}
	if (a->deduced) {
		snprintf(ret->role, sizeof ret->role, "writes its own memory of the window before this call of %s",
			ret->function);
		snprintf(ret->function, sizeof ret->function, "a store");
		return;
	}
	snprintf(ret->role, sizeof ret->role, "%s%s", verb(a), a->local ? " its own memory of the window" : "");
}

static void name_bytes(
	const struct sweep *s, const struct hb__window_access *a, const struct hb__span *b, char *ret, size_t size)
{
	struct hb__onesided *o = s->o;
	for (uint32_t i = 0; i < o->nparts[a->target]; i++) {
		const struct hb__window_part *p = &o->part[a->target][i];
		if (!p->known || p->id != a->window || p->dynamic)
			continue;
		snprintf(ret, size, b->to - b->from == 1 ? "byte %lld" : "bytes %lld to %lld",
			(long long)(b->from - p->base), (long long)(b->to - p->base - 1));
		return;
	}
	snprintf(ret, size, "%lld bytes", (long long)(b->to - b->from));
}

static hb_status report(struct sweep *s, const struct hb__window_access *a, const struct hb__window_access *b)
{
	struct hb__span shared;
	const hb_process *p = hb_model_processes(s->o->c->model);
	char bytes[60], named[HB__NAMED];
	hb_point point[2];
	if (s->reports++ >= REPORTS || !hb__share_bytes(s->o, a, b, &shared))
		return HB_OK;
	if (a->local) {
		const struct hb__window_access *swap = a;
		a = b;
		b = swap;
	}
	place(s->o, a, &point[0]);
	place(s->o, b, &point[1]);
	name_bytes(s, a, &shared, bytes, sizeof bytes);
	const char *advice =
		a->process == b->process ? "Complete the first one before the second: MPI_Win_flush, or another epoch."
		: a->touching == HB__ACCUMULATES && b->touching == HB__ACCUMULATES
			? "Use the same operation and the same basic datatype for both, or end an epoch between them."
			: "End an epoch between the two (with a fence; or with MPI_Win_unlock or MPI_Win_flush, and then a barrier or a message), or use accumulate operations.";
	return hb__finding(s->o->c, HB_RMA_RACE, false, advice, point, 2, s->o->err,
		"%s of rank %s %s %s of the window%s of rank %s, %s of rank %s %s them%s, and nothing orders the two",
		point[0].function, p[a->process].name, verb(a), bytes,
		hb__window_named(s->o->c, a->process, a->number, named), p[a->target].name, point[1].function,
		p[b->process].name, verb(b), b->local ? " there" : "");
}

static hb_status compare(struct sweep *s, const struct hb__window_access *a, const struct hb__window_access *b)
{
	s->compared++;
	if (!conflict(a, b) || hb__over_before(&s->points, a, b) || hb__over_before(&s->points, b, a) ||
		hb__may_be_ordered(&s->hidden, a, b))
		return HB_OK;
	return report(s, a, b);
}

/* ---- all of them ---- */

static bool same_kind(const struct hb__window_access *a, const struct hb__window_access *b)
{
	return a->line == b->line && a->touching == b->touching && a->operation == b->operation && a->type == b->type &&
	       a->exclusive == b->exclusive && a->locked == b->locked && a->local == b->local && a->swap == b->swap;
}

static hb_status enter(struct sweep *s, size_t piece, uint32_t access)
{
	struct hb__onesided *o = s->o;
	const struct hb__window_access *b = &o->access[access];
	uint32_t same = 0;
	for (uint32_t i = s->head[piece]; i; i = s->last[i - 1].next) {
		const struct hb__window_access *a = &o->access[s->last[i - 1].access];
		hb_status status = compare(s, a, b);
		if (status)
			return status;
		if (same_kind(a, b))
			same = i;
	}
	if (same) {
		s->last[same - 1].access = access;
		return HB_OK;
	}
	if (!HB_GROW(s->last, s->last_room, s->nlast + 1))
		return hb__onesided_no_memory(o->err);
	s->last[s->nlast++] = (struct last){access, s->head[piece]};
	s->head[piece] = (uint32_t)s->nlast;
	return HB_OK;
}

static int by_number(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return (x > y) - (x < y);
}

static size_t cut_at(const struct sweep *s, int64_t address)
{
	size_t from = 0, to = s->ncuts;
	while (from < to) {
		size_t middle = (from + to) / 2;
		if (s->cut[middle] < address)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

/* The accesses order[from..to) go to one target. */
static hb_status sweep_target(struct sweep *s, size_t from, size_t to)
{
	struct hb__onesided *o = s->o;
	size_t n = 0;
	for (size_t i = from; i < to; i++)
		n += o->access[s->order[i]].nbytes;
	free(s->cut);
	free(s->head);
	s->cut = calloc(2 * n + 1, sizeof *s->cut);
	s->head = calloc(2 * n + 1, sizeof *s->head);
	s->ncuts = s->nlast = 0;
	if (!s->cut || !s->head)
		return hb__onesided_no_memory(o->err);
	for (size_t i = from; i < to; i++)
		for (uint32_t k = 0; k < o->access[s->order[i]].nbytes; k++) {
			s->cut[s->ncuts++] = o->pool[o->access[s->order[i]].bytes + k].from;
			s->cut[s->ncuts++] = o->pool[o->access[s->order[i]].bytes + k].to;
		}
	if (s->ncuts)
		qsort(s->cut, s->ncuts, sizeof *s->cut, by_number);
	size_t kept = 0;
	for (size_t i = 0; i < s->ncuts; i++)
		if (!kept || s->cut[kept - 1] != s->cut[i])
			s->cut[kept++] = s->cut[i];
	s->ncuts = kept;
	for (size_t i = from; i < to && s->compared < BUDGET; i++)
		for (uint32_t k = 0; k < o->access[s->order[i]].nbytes; k++) {
			const struct hb__span *b = &o->pool[o->access[s->order[i]].bytes + k];
			for (size_t at = cut_at(s, b->from); at < s->ncuts && s->cut[at] < b->to; at++) {
				hb_status status = enter(s, at, s->order[i]);
				if (status)
					return status;
			}
		}
	return HB_OK;
}

static int by_time(const void *a, const void *b, void *user)
{
	const struct hb__onesided *o = user;
	const struct hb__window_access *x = &o->access[*(const uint32_t *)a], *y = &o->access[*(const uint32_t *)b];
	if (x->target != y->target)
		return x->target < y->target ? -1 : 1;
	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return (x->remark > y->remark) - (x->remark < y->remark);
}

static hb_status sweep_all(struct sweep *s)
{
	struct hb__onesided *o = s->o;
	hb_status status = HB_OK;
	hb__points_times(&s->points, o);
	for (size_t i = 0; i < o->naccesses; i++)
		s->order[i] = (uint32_t)i;
	qsort_r(s->order, o->naccesses, sizeof *s->order, by_time, o);
	for (size_t i = 0, n; i < o->naccesses && !status; i += n) {
		uint32_t target = o->access[s->order[i]].target;
		for (n = 1; i + n < o->naccesses && o->access[s->order[i + n]].target == target;)
			n++;
		status = sweep_target(s, i, i + n);
	}
	return status;
}

hb_status hb__onesided_conflicts(struct hb__onesided *o)
{
	struct sweep s = {.o = o};
	if (o->naccesses < 2)
		return HB_OK;
	hb_status status = hb__points_make(o, &s.points);
	s.order = calloc(o->naccesses + 1, sizeof *s.order);
	if (!status && (!s.order || !hb__hidden_open(o, &s.hidden)))
		status = hb__onesided_no_memory(o->err);
	if (!status)
		status = sweep_all(&s);
	hb__points_free(&s.points);
	hb__hidden_free(&s.hidden);
	free(s.order);
	free(s.cut);
	free(s.head);
	free(s.last);
	return status;
}
