/* Post and start: the k-th start of an origin for a target belongs to the k-th post of that target for the origin. */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "rules/onesided/onesided.h"

struct epoch {
	uint32_t process, window; /* window: id */
	hb_at begin, end;         /* end.line HB_NO: not ended */
	size_t accesses[2];       /* of a start: numbers of the first access in it and behind the last */
	bool start, open;
};

struct pair { /* an epoch and one partner */
	uint32_t window, target, origin;
	bool start;
	size_t epoch, order;
};

struct hb__exposures {
	struct hb__onesided *o;
	struct epoch *epoch;
	size_t n, room;
	struct pair *pair;
	size_t npairs, pair_room;
};

struct hb__exposures *hb__exposures_open(struct hb__onesided *o)
{
	struct hb__exposures *e = calloc(1, sizeof *e);
	if (e)
		e->o = o;
	return e;
}

void hb__exposures_close(struct hb__exposures *e)
{
	free(e->epoch);
	free(e->pair);
	free(e);
}

static void partner(struct hb__exposures *e, const struct epoch *x, uint32_t other)
{
	if (!HB_GROW(e->pair, e->pair_room, e->npairs + 1)) {
		e->o->no_memory = true;
		return;
	}
	e->pair[e->npairs] = (struct pair){x->window, x->start ? other : x->process, x->start ? x->process : other,
		x->start, (size_t)(x - e->epoch), e->npairs};
	e->npairs++;
}

void hb__exposure_begun(
	struct hb__exposures *e, uint32_t process, int64_t number, hb_at at, const char *ranks, bool start)
{
	struct hb__window_part *part = hb__part_of(e->o, process, number);
	if (!part || part->id == HB_NO || at.line == HB_NO)
		return;
	if (!HB_GROW(e->epoch, e->room, e->n + 1)) {
		e->o->no_memory = true;
		return;
	}
	const hb_group *g = &hb_model_groups(e->o->c->model)[part->group];
	struct epoch *x = &e->epoch[e->n++];
	*x = (struct epoch){process, part->id, at, {HB_NO, 0}, {e->o->naccesses, e->o->naccesses}, start, true};
	for (const char *p = ranks; *p >= '0' && *p <= '9';) {
		char *end;
		unsigned long rank = strtoul(p, &end, 10);
		if (rank < g->size && g->member[rank] != HB_NO)
			partner(e, x, g->member[rank]);
		p = *end ? end + 1 : end;
	}
}

void hb__exposure_ended(struct hb__exposures *e, uint32_t process, int64_t number, hb_at at, bool start)
{
	struct hb__window_part *part = hb__part_of(e->o, process, number);
	for (size_t i = e->n; part && i-- > 0;) {
		struct epoch *x = &e->epoch[i];
		if (x->process != process || x->window != part->id || x->start != start)
			continue;
		if (x->open) {
			x->end = at;
			x->accesses[1] = e->o->naccesses;
		}
		x->open = false;
		return;
	}
}

static int by_partners(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;
	if (x->window != y->window)
		return x->window < y->window ? -1 : 1;
	if (x->target != y->target)
		return x->target < y->target ? -1 : 1;
	if (x->origin != y->origin)
		return x->origin < y->origin ? -1 : 1;
	if (x->start != y->start)
		return x->start ? 1 : -1;
	return (x->order > y->order) - (x->order < y->order);
}

static bool alike(const struct pair *a, const struct pair *b)
{
	return a->window == b->window && a->target == b->target && a->origin == b->origin;
}

static void edge(struct hb__exposures *e, hb_at from, hb_at to)
{
	struct hb__onesided *o = e->o;
	if (from.line == HB_NO || to.line == HB_NO || from.line == to.line)
		return;
	if (HB_GROW(o->edges, o->edge_room, o->nedges + 1))
		o->edges[o->nedges++] = (hb_edge){from, to};
	else
		o->no_memory = true;
}

static void matched(struct hb__exposures *e, const struct pair *post, const struct pair *start)
{
	const struct epoch *exposure = &e->epoch[post->epoch], *access = &e->epoch[start->epoch];
	size_t last = access->open ? e->o->naccesses : access->accesses[1];
	bool used = false;
	for (size_t i = access->accesses[0]; i < last; i++) {
		struct hb__window_access *a = &e->o->access[i];
		if (a->process != access->process || !a->pscw || a->window != access->window ||
			a->target != exposure->process)
			continue;
		a->post = exposure->begin;
		used = true;
	}
	edge(e, access->end, exposure->end);
	if (used)
		edge(e, exposure->begin, access->end);
}

hb_status hb__exposures_match(struct hb__exposures *e)
{
	if (e->npairs)
		qsort(e->pair, e->npairs, sizeof *e->pair, by_partners);
	for (size_t i = 0; i < e->npairs;) {
		size_t posts = 0, n = 0;
		while (i + n < e->npairs && alike(&e->pair[i], &e->pair[i + n]))
			posts += !e->pair[i + n++].start;
		for (size_t k = 0; k < posts && posts + k < n; k++)
			matched(e, &e->pair[i + k], &e->pair[i + posts + k]);
		i += n;
	}
	return e->o->no_memory ? hb__onesided_no_memory(e->o->err) : HB_OK;
}
