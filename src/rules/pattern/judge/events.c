/* The events that verdicts name, looked up in one go. */
#include <stdlib.h>
#include <string.h>

#include "rules/pattern/judge/internal.h"

static int by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return x < y ? -1 : x > y;
}

static bool keep(void *user, const hb_pattern_event *event)
{
	struct hb__judging *g = user;
	uint32_t nkeys = g->binding[event->binding].nkeys;
	if (!HB_GROW(g->event, g->events_room, g->events + 1)) {
		g->no_memory = true;
		return false;
	}
	hb_pattern_value *key = hb__judge_alloc(g, ((size_t)nkeys + 1) * sizeof *key);
	if (!key)
		return false;
	if (nkeys)
		memcpy(key, event->key, nkeys * sizeof *key);
	g->event[g->events] = *event;
	g->event[g->events++].key = key;
	return true;
}

static size_t list(const struct hb__judging *g, uint64_t *id)
{
	size_t n = 0;
	for (size_t i = 0; i < g->kept; i++) {
		const hb_pattern_verdict *v = &g->keep[i].v;
		uint64_t some[4] = {v->state == HB_PATTERN_WRONG ? v->wrong : HB_PATTERN_NONE,
			v->misordered ? v->misordered_by : HB_PATTERN_NONE,
			v->ambiguous ? v->ambiguous_at : HB_PATTERN_NONE,
			v->nnext ? v->next[0].after : HB_PATTERN_NONE};
		for (int k = 0; k < 4; k++)
			if (some[k] != HB_PATTERN_NONE)
				id[n++] = some[k];
	}
	qsort(id, n, sizeof *id, by_number);
	size_t kept = 0;
	for (size_t i = 0; i < n; i++)
		if (!i || id[i] != id[i - 1])
			id[kept++] = id[i];
	return kept;
}

hb_status hb__see_events(struct hb__judging *g, hb_error *err)
{
	uint64_t *id = malloc((4 * g->kept + 1) * sizeof *id);
	if (!id)
		return hb__judge_no_memory(err);
	size_t n = list(g, id);
	g->see = calloc(n + 1, sizeof *g->see);
	if (g->see) {
		hb_history_find(g->history, id, n, keep, g);
		for (size_t i = 0, e = 0; i < n; i++) {
			g->see[i] = (struct hb__seen){id[i], e, 0};
			for (; e < g->events && g->event[e].id == id[i]; e++)
				g->see[i].n++;
		}
		g->seen = n;
	}
	free(id);
	return g->see && !g->no_memory ? HB_OK : hb__judge_no_memory(err);
}

static int by_id(const void *a, const void *b) { return by_number(a, &((const struct hb__seen *)b)->id); }

static bool about(const struct hb__judging *g, const hb_pattern_event *e, const hb_pattern_verdict *v)
{
	uint32_t n;
	const uint8_t *at = hb_pattern_each(g->pattern, e->binding, &n);
	bool all = n == v->nkeys;
	for (uint32_t i = 0; all && i < n; i++)
		all = e->key[at[i]].number == v->key[i].number && e->key[at[i]].text == v->key[i].text;
	return all;
}

const hb_pattern_event *hb__seen_event(const struct hb__judging *g, uint64_t id, const hb_pattern_verdict *of)
{
	const struct hb__seen *s = id == HB_PATTERN_NONE ? NULL : bsearch(&id, g->see, g->seen, sizeof *g->see, by_id);
	for (size_t i = 0; s && i < s->n; i++)
		if (about(g, &g->event[s->first + i], of))
			return &g->event[s->first + i];
	return s && s->n ? &g->event[s->first] : NULL;
}
