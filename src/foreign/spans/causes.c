/* Which span follows from which: a child from its parent, a span from those that it links to. A cause begins before what follows from it. Clocks
 * of two machines may say otherwise: then one of them is set forward, as little as that needs. */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "foreign/slack.h"
#include "foreign/spans/spans.h"

/* ---- by identity ---- */

struct cell {
	uint64_t id;
	uint32_t number; /* 1 + number; 0: free */
};

struct index {
	struct cell *cell;
	size_t mask;
};

static struct cell *cell_of(const struct index *x, uint64_t id)
{
	size_t i = id & x->mask;
	while (x->cell[i].number && x->cell[i].id != id)
		i = (i + 1) & x->mask;
	return &x->cell[i];
}

static bool index_make(struct index *x, const struct hb__spans *s)
{
	size_t cap = 64;
	while (cap < 2 * s->n)
		cap *= 2;
	*x = (struct index){calloc(cap, sizeof *x->cell), cap - 1};
	for (size_t i = 0; x->cell && i < s->n; i++) {
		struct cell *c = cell_of(x, s->at[i].id);
		if (!c->number) /* of two with one identity the first */
			*c = (struct cell){s->at[i].id, (uint32_t)i + 1};
	}
	return x->cell;
}

static void resolve(struct hb__spans *s, struct hb__cause *c, uint32_t own, const struct index *x)
{
	const struct cell *cell = cell_of(x, c->id);
	c->of = cell->number && cell->number - 1 != own ? cell->number - 1 : HB_NO;
	s->unknown += c->of == HB_NO;
}

/* How deep each span lies. A parent that makes a circle is none. */
static bool depths(struct hb__spans *s)
{
	uint32_t *turn = calloc(s->n + 1, sizeof *turn); /* in which a span was on the way last */
	for (uint32_t i = 0; turn && i < s->n; i++) {
		uint32_t depth = 0, k = i;
		while (s->at[k].parent.of != HB_NO && !s->at[k].depth) {
			uint32_t parent = s->at[k].parent.of;
			turn[k] = i + 1;
			if (turn[parent] == i + 1) {
				s->at[k].parent.of = HB_NO;
				s->against++;
				break;
			}
			k = parent;
			depth++;
		}
		depth += s->at[k].depth;
		for (k = i; depth && !s->at[k].depth; k = s->at[k].parent.of)
			s->at[k].depth = depth--;
	}
	free(turn);
	return turn;
}

/* ---- clocks ---- */

struct slacks {
	struct hb__slack *at;
	size_t n, cap;
	bool against; /* one is below 0 */
};

static bool note_slack(
	struct slacks *all, const struct hb__spans *s, const struct hb__cause *c, const struct hb__span *span)
{
	const struct hb__span *cause = c->of == HB_NO ? NULL : &s->at[c->of];
	if (!cause || cause->process == span->process)
		return true;
	if (!HB_GROW(all->at, all->cap, all->n + 1))
		return false;
	int64_t late = (int64_t)(span->start - cause->start);
	all->at[all->n++] = (struct hb__slack){cause->process, span->process, late};
	all->against |= late < 0;
	return true;
}

/* The least shifts that make every cause begin first, as longest paths (Bellman 1958). Where clocks run apart there are none: after as many
 * rounds as there are processes no clock is set, and what contradicts is left out. */
static void shifts(struct hb__spans *s, const struct slacks *all)
{
	bool more = true;
	for (size_t round = 0; round <= s->services && more; round++) {
		more = false;
		for (size_t i = 0; i < all->n; i++) {
			const struct hb__slack *k = &all->at[i];
			int64_t least = (int64_t)s->service[k->from].forward - k->least;
			if ((int64_t)s->service[k->to].forward < least && least < INT64_MAX / 4) {
				s->service[k->to].forward = (uint64_t)least;
				more = true;
			}
		}
	}
	for (size_t i = 0; i < s->services && more; i++)
		s->service[i].forward = 0;
}

static void set_clocks(struct hb__spans *s)
{
	struct slacks all = {0};
	for (size_t i = 0; i < s->n && !s->failed; i++) {
		s->failed = !note_slack(&all, s, &s->at[i].parent, &s->at[i]);
		for (uint32_t k = 0; k < s->at[i].links && !s->failed; k++)
			s->failed = !note_slack(&all, s, &s->at[i].link[k], &s->at[i]);
	}
	if (all.against && !s->failed) {
		all.n = hb__slack_least(all.at, all.n);
		shifts(s, &all);
	}
	free(all.at);
	for (size_t i = 0; i < s->n; i++) {
		s->at[i].start += s->service[s->at[i].process].forward;
		s->at[i].end += s->service[s->at[i].process].forward;
	}
}

/* ---- order ---- */

static int compare(const struct hb__span *a, const struct hb__span *b)
{
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->depth != b->depth)
		return a->depth < b->depth ? -1 : 1;
	return 0;
}

struct placed {
	struct hb__span span;
	uint32_t was;
};

static int by_order(const void *a, const void *b)
{
	const struct placed *x = a, *y = b;
	int order = compare(&x->span, &y->span);
	return order ? order : (x->was > y->was) - (x->was < y->was);
}

static bool sort(struct hb__spans *s)
{
	struct placed *all = malloc((s->n + 1) * sizeof *all);
	uint32_t *now = malloc((s->n + 1) * sizeof *now);
	for (size_t i = 0; all && now && i < s->n; i++)
		all[i] = (struct placed){s->at[i], (uint32_t)i};
	if (all && now) {
		qsort(all, s->n, sizeof *all, by_order);
		for (size_t i = 0; i < s->n; i++)
			now[all[i].was] = (uint32_t)i;
		for (size_t i = 0; i < s->n; i++) {
			struct hb__span *span = &s->at[i];
			*span = all[i].span;
			span->parent.of = span->parent.of == HB_NO ? HB_NO : now[span->parent.of];
			for (uint32_t k = 0; k < span->links; k++)
				span->link[k].of = span->link[k].of == HB_NO ? HB_NO : now[span->link[k].of];
		}
	}
	bool good = all && now;
	free(all);
	free(now);
	return good;
}

/* Spans are in order: what comes before its cause has none. */
static void check(struct hb__spans *s, struct hb__cause *c, size_t own)
{
	if (c->of == HB_NO || c->of < own)
		return;
	c->of = HB_NO;
	s->against++;
}

void hb__causes(struct hb__spans *s)
{
	struct index x;
	if (s->failed || !index_make(&x, s)) {
		s->failed = true;
		return;
	}
	for (size_t i = 0; i < s->n; i++) {
		struct hb__span *span = &s->at[i];
		if (span->parent.id)
			resolve(s, &span->parent, (uint32_t)i, &x);
		for (uint32_t k = 0; k < span->links; k++)
			resolve(s, &span->link[k], (uint32_t)i, &x);
	}
	free(x.cell);
	s->failed = !depths(s);
	set_clocks(s);
	s->failed = s->failed || !sort(s);
	for (size_t i = 0; i < s->n && !s->failed; i++) {
		struct hb__span *span = &s->at[i];
		check(s, &span->parent, i);
		for (uint32_t k = 0; k < span->links; k++)
			check(s, &span->link[k], i);
		const struct hb__span *parent = span->parent.of == HB_NO ? NULL : &s->at[span->parent.of];
		span->answers = parent && parent->kind == HB_SPAN_CLIENT && span->kind == HB_SPAN_SERVER &&
				span->end <= parent->end;
	}
}
