/* Verdicts, kept for as long as their keys are told. */
#include <stdlib.h>
#include <string.h>

#include "rules/pattern/judge/internal.h"

#define KEPT_MOST 100000u /* keys that are told; of more their number is */
#define NEXT_MOST 64u     /* of what can come next */

static const hb_pattern_value *copy_key(struct hb__judging *g, const hb_pattern_value *key, uint32_t n)
{
	hb_pattern_value *to = hb__judge_alloc(g, n * sizeof *to);
	return to && n ? memcpy(to, key, n * sizeof *to) : to;
}

/* A process that died in it, died, is in it; a message under way; what nobody began; a call that waits, for one of the others. */
static uint32_t rank_of(const struct hb__judging *g, const hb_pattern_next *n)
{
	const hb_pattern_binding *b = &g->binding[n->binding];
	enum hb__fate_kind fate = n->process < g->info->processes ? g->fate[n->process].kind : HB__FATE_NONE;
	bool dead = fate == HB__FATE_CRASHED || fate == HB__FATE_DIED || fate == HB__FATE_ABORTED;
	bool in = !b->message && n->half == HB_PATTERN_END;
	if (dead)
		return in ? 0 : 1;
	if (in && b->source == HB_PATTERN_CALL)
		return 5;
	return in ? 2 : b->message && n->half == HB_PATTERN_RECEIVED ? 3 : 4;
}

/* It does nothing any more, as its log says itself. */
static bool is_over(const struct hb__judging *g, uint32_t process)
{
	if (process >= g->info->processes)
		return false;
	switch (g->fate[process].kind) {
	case HB__FATE_CRASHED:
	case HB__FATE_DIED:
	case HB__FATE_ABORTED:
	case HB__FATE_FINALIZED:
	case HB__FATE_LEFT:
		return true;
	default:
		return false;
	}
}

/* What is looked at first: of a stop where a cause may be, of a wrong event what its own process could have done instead. */
static uint32_t place_of(const struct hb__judging *g, const hb_pattern_verdict *v, const hb_pattern_next *n)
{
	bool exit;
	if (v->state != HB_PATTERN_WRONG)
		return rank_of(g, n);
	return v->wrong == HB_PATTERN_NONE || g->line[hb_history_at(v->wrong, &exit).line].process != n->process;
}

static int by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return x < y ? -1 : x > y;
}

/* What could come next, and what became of those who should do it, whatever their numbers. */
static void sign(struct hb__judging *g, struct hb__kept *k)
{
	uint32_t n = k->v.nnext;
	k->signature = hb__judge_alloc(g, ((size_t)n + 1) * sizeof *k->signature);
	if (!k->signature)
		return;
	for (uint32_t i = 0; i < n; i++) {
		const hb_pattern_next *next = &k->v.next[i];
		uint32_t fate = next->process < g->info->processes ? g->fate[next->process].kind : 0;
		k->signature[i] = (uint64_t)next->binding << 16 | (uint64_t)next->half << 8 | fate;
	}
	qsort(k->signature, n, sizeof *k->signature, by_number);
	uint32_t kept = 0;
	for (uint32_t i = 0; i < n; i++)
		if (!i || k->signature[i] != k->signature[i - 1])
			k->signature[kept++] = k->signature[i];
	k->signatures = kept;
}

static void copy_next(struct hb__judging *g, struct hb__kept *k, const hb_pattern_verdict *v)
{
	uint32_t n = v->nnext < NEXT_MOST ? v->nnext : NEXT_MOST, best = 0;
	hb_pattern_next *to = hb__judge_alloc(g, ((size_t)n + 1) * sizeof *to);
	k->rank = 6;
	k->over = v->nnext > 0;
	for (uint32_t i = 0; i < v->nnext; i++)
		k->over &= is_over(g, v->next[i].process);
	for (uint32_t i = 0; to && i < n; i++) {
		to[i] = v->next[i];
		to[i].key = copy_key(g, v->next[i].key, g->binding[v->next[i].binding].nkeys);
		if (place_of(g, v, &to[i]) < k->rank) {
			k->rank = place_of(g, v, &to[i]);
			best = i;
		}
	}
	if (to && n) { /* the likeliest first, the others in their order */
		hb_pattern_next first = to[best];
		memmove(to + 1, to, best * sizeof *to);
		to[0] = first;
	}
	k->v.next = to;
	k->v.nnext = to ? n : 0;
}

bool hb__keep_verdict(void *judging, const hb_pattern_verdict *v)
{
	struct hb__judging *g = judging;
	if (v->state == HB_PATTERN_COMPLETE && !v->ambiguous)
		return true;
	if (g->kept == KEPT_MOST) {
		g->judgement->untold += v->state != HB_PATTERN_COMPLETE;
		return true;
	}
	if (!HB_GROW(g->keep, g->kept_room, g->kept + 1)) {
		g->no_memory = true;
		return false;
	}
	struct hb__kept *k = &g->keep[g->kept++];
	*k = (struct hb__kept){.v = *v};
	k->v.key = copy_key(g, v->key, v->nkeys);
	const char **names = hb__judge_alloc(g, ((size_t)v->nkeys + 1) * sizeof *names);
	for (uint32_t i = 0; names && i < v->nkeys; i++)
		names[i] = hb__judge_text(g, v->key_name[i]);
	k->v.key_name = names;
	copy_next(g, k, v);
	sign(g, k);
	return !g->no_memory;
}
