/* Flags, counters and locks that a program keeps in windows order its processes, and the recording does not show how. */
#include <stdlib.h>

#include "rules/onesided/order.h"

#define LOOKED_AT 512 /* of a process, for one pair */

bool hb__share_bytes(const struct hb__onesided *o, const struct hb__window_access *a, const struct hb__window_access *b,
	struct hb__span *ret)
{
	if (a->target != b->target)
		return false;
	for (uint32_t i = 0; i < a->nbytes; i++)
		for (uint32_t k = 0; k < b->nbytes; k++) {
			const struct hb__span *x = &o->pool[a->bytes + i], *y = &o->pool[b->bytes + k];
			*ret = (struct hb__span){x->from > y->from ? x->from : y->from, x->to < y->to ? x->to : y->to};
			if (ret->from < ret->to)
				return true;
		}
	return false;
}

static bool tells(const struct hb__window_access *x)
{
	return !x->local && x->passive && x->touching != HB__READS && (x->touching == HB__ACCUMULATES || x->exclusive);
}

static bool is_told(const struct hb__window_access *x)
{
	return !x->local && x->passive && x->fetches && (x->touching == HB__ACCUMULATES || x->locked);
}

bool hb__hidden_open(struct hb__onesided *o, struct hb__hidden *ret)
{
	uint32_t n = hb_model_get_info(o->c->model)->processes;
	*ret = (struct hb__hidden){.o = o,
		.at = calloc(o->naccesses + 1, sizeof *ret->at),
		.first = calloc((size_t)n + 2, sizeof *ret->first)};
	if (!ret->at || !ret->first)
		return false;
	size_t used = 0;
	uint32_t process = 0;
	for (size_t i = 0; i < o->naccesses; i++) {
		const struct hb__window_access *x = &o->access[i]; /* in the order of processes */
		while (process < x->process)
			ret->first[++process] = used;
		if (!x->local && x->passive)
			ret->at[used++] = i;
	}
	while (process <= n)
		ret->first[++process] = used;
	return true;
}

void hb__hidden_free(struct hb__hidden *h)
{
	free(h->at);
	free(h->first);
}

/* Something other than the two accesses themselves touch. */
static bool elsewhere(const struct hb__hidden *h, const struct hb__window_access *x, const struct hb__window_access *a,
	const struct hb__window_access *b)
{
	struct hb__span shared;
	return x != a && x != b && !hb__share_bytes(h->o, x, a, &shared);
}

/* The process of `a` may have told others that `a` is over. */
static bool told_others(
	const struct hb__hidden *h, const struct hb__window_access *a, const struct hb__window_access *b)
{
	size_t n = 0;
	for (size_t i = h->first[a->process + 1]; i-- > h->first[a->process] && n++ < LOOKED_AT;) {
		const struct hb__window_access *x = &h->o->access[h->at[i]];
		if (x->start < a->done)
			return false;
		bool into = b->local && x->target == b->process && x->touching != HB__READS;
		if ((tells(x) || into) && elsewhere(h, x, a, b))
			return true;
	}
	return false;
}

/* The process of `b` may have been told before `b`. */
static bool was_told(const struct hb__hidden *h, const struct hb__window_access *a, const struct hb__window_access *b)
{
	size_t n = 0;
	if (b->local)
		return true; /* it may look at its own memory */
	for (size_t i = h->first[b->process]; i < h->first[b->process + 1] && n++ < LOOKED_AT; i++) {
		const struct hb__window_access *x = &h->o->access[h->at[i]];
		if (x->start > b->start)
			return false;
		bool from = a->local && x->target == a->process && x->fetches;
		if ((is_told(x) || from) && x->remark < b->remark && elsewhere(h, x, a, b))
			return true;
	}
	return false;
}

static bool one_way(const struct hb__hidden *h, const struct hb__window_access *a, const struct hb__window_access *b)
{
	if (!a->done || a->process == b->process)
		return false;
	return (a->local || told_others(h, a, b)) && was_told(h, a, b);
}

bool hb__may_be_ordered(
	const struct hb__hidden *h, const struct hb__window_access *a, const struct hb__window_access *b)
{
	return one_way(h, a, b) || one_way(h, b, a);
}
