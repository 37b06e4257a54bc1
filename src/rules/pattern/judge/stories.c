/* Many keys with the same story are told once, and causes before what follows from them. */
#include <stdlib.h>
#include <string.h>

#include "rules/pattern/judge/internal.h"

#define ORDERED_MOST 64u /* stories that are compared by happened-before: each with each */

static hb_finding_id id_of(const hb_pattern_verdict *v)
{
	switch (v->state) {
	case HB_PATTERN_WRONG:
		return v->misordered ? HB_MODEL_ORDER : HB_MODEL_WRONG;
	case HB_PATTERN_STOPPED:
		return HB_MODEL_STOPPED;
	case HB_PATTERN_UNDECIDED:
		return HB_MODEL_UNDECIDED;
	default:
		return HB_MODEL_AMBIGUOUS;
	}
}

/* What is wrong, in one number: of which declaration and half the event is. */
static uint64_t wrong_of(const struct hb__judging *g, const hb_pattern_verdict *v, uint64_t id)
{
	const hb_pattern_event *e = hb__seen_event(g, id, v);
	return e ? (uint64_t)e->binding << 1 | (uint64_t)e->half : UINT64_MAX;
}

static bool alike(const struct hb__judging *g, hb_finding_id id, const struct hb__kept *a, const struct hb__kept *b)
{
	switch (id) {
	case HB_MODEL_WRONG:
	case HB_MODEL_ORDER:
		return wrong_of(g, &a->v, a->v.wrong) == wrong_of(g, &b->v, b->v.wrong);
	case HB_MODEL_STOPPED:
		return a->rank == b->rank && a->signatures == b->signatures &&
		       !memcmp(a->signature, b->signature, a->signatures * sizeof *a->signature);
	case HB_MODEL_AMBIGUOUS:
		return wrong_of(g, &a->v, a->v.ambiguous_at) == wrong_of(g, &b->v, b->v.ambiguous_at);
	default:
		return true;
	}
}

static hb_at place_of(const struct hb__judging *g, hb_finding_id id, const struct hb__kept *k, uint32_t *ret_rank)
{
	bool exit;
	uint64_t at = HB_PATTERN_NONE;
	*ret_rank = 3;
	if (id == HB_MODEL_WRONG || id == HB_MODEL_ORDER) {
		*ret_rank = 0;
		at = k->v.wrong;
	} else if (id == HB_MODEL_STOPPED && k->v.nnext) {
		*ret_rank = k->rank < 3 ? k->rank : 3;
		at = k->v.next[0].after;
		uint32_t process = k->v.next[0].process;
		if (*ret_rank <= 1 && process < g->info->processes)
			return g->fate[process].at; /* where it died */
	} else if (id == HB_MODEL_AMBIGUOUS)
		*ret_rank = 4;
	return at == HB_PATTERN_NONE ? (hb_at){HB_NO, 0} : hb_history_at(at, &exit);
}

static hb_status add(struct hb__judging *g, hb_finding_id id, size_t kept, hb_error *err)
{
	const struct hb__kept *k = &g->keep[kept];
	for (size_t i = 0; i < g->stories; i++) {
		struct hb__story *s = &g->story[i];
		if (s->id != id || !alike(g, id, &g->keep[s->first], k))
			continue;
		if (s->times < sizeof s->some / sizeof *s->some)
			s->some[s->times] = kept;
		s->times++;
		return HB_OK;
	}
	if (!HB_GROW(g->story, g->stories_room, g->stories + 1))
		return hb__judge_no_memory(err);
	struct hb__story *s = &g->story[g->stories++];
	*s = (struct hb__story){.id = id, .first = kept, .times = 1, .some = {kept}};
	s->at = place_of(g, id, k, &s->rank);
	return HB_OK;
}

static bool happened_before(const struct hb__judging *g, hb_at a, hb_at b)
{
	hb_relation relation;
	bool strict;
	hb_link *chain = NULL;
	size_t links;
	if (a.line == HB_NO || b.line == HB_NO || !a.event || !b.event ||
		hb_order_of(g->model, a, b, &relation, &strict, &chain, &links, NULL))
		return false;
	free(chain);
	return relation == HB_BEFORE;
}

/* The next one to be told: of the first rank, and no other one of it happened before. */
static size_t next_story(const struct hb__judging *g, size_t from)
{
	size_t best = from;
	for (size_t i = from + 1; i < g->stories; i++)
		if (g->story[i].rank < g->story[best].rank ||
			(g->story[i].rank == g->story[best].rank && g->stories <= ORDERED_MOST &&
				happened_before(g, g->story[i].at, g->story[best].at)))
			best = i;
	return best;
}

hb_status hb__make_stories(struct hb__judging *g, hb_error *err)
{
	hb_status status = HB_OK;
	for (size_t i = 0; i < g->kept && !status; i++) {
		const hb_pattern_verdict *v = &g->keep[i].v;
		bool under_way = v->state == HB_PATTERN_STOPPED && g->options->running && g->keep[i].rank > 1 &&
				 !g->keep[i].over;
		g->judgement->under_way += under_way;
		if (v->state != HB_PATTERN_COMPLETE && !under_way)
			status = add(g, id_of(v), i, err);
		if (!status && v->ambiguous && v->state != HB_PATTERN_UNDECIDED)
			status = add(g, HB_MODEL_AMBIGUOUS, i, err);
	}
	for (size_t i = 0; i < g->stories && !status; i++) {
		size_t best = next_story(g, i);
		struct hb__story s = g->story[best];
		memmove(&g->story[i + 1], &g->story[i], (best - i) * sizeof s);
		g->story[i] = s;
	}
	return status;
}
