/* Who the strangers of each process are. The root of a call knows its local group by name; the others of that group have the
 * same bridge, and the remote group of each bridge is the local group of the other side. */
#include <stdlib.h>

#include "model/world/crossing.h"

bool hb__list_strangers(struct hb__crossings *x)
{
	hb_worlds *w = x->w;
	for (size_t i = 0; i < x->n; i++) {
		for (size_t k = x->first[i]; k < x->first[i + 1]; k++) {
			const hb_comm *c = x->bridge[k].c;
			for (uint32_t r = 0; r < c->remote_size; r++)
				if (c->remote[r] < -1 && (uint32_t)(-2 - c->remote[r]) >= w->strangers[i])
					w->strangers[i] = (uint32_t)(-2 - c->remote[r]) + 1;
		}
		/* as many as a bridge can lead to: the number comes from a file */
		if (w->strangers[i] > 1 << 24)
			w->strangers[i] = 0;
		w->stranger[i] = malloc(((size_t)w->strangers[i] + 1) * sizeof **w->stranger);
		if (!w->stranger[i])
			return false;
		for (uint32_t k = 0; k < w->strangers[i]; k++)
			w->stranger[i][k] = (hb_named_process){HB_NO, -1};
	}
	return true;
}

static void know(struct hb__crossings *x, size_t log, int64_t member, hb_named_process who)
{
	uint64_t k = member < -1 ? (uint64_t)(-2 - member) : UINT64_MAX;
	if (who.world == HB_NO || k >= x->w->strangers[log] || x->w->stranger[log][k].world != HB_NO)
		return;
	x->w->stranger[log][k] = who;
	x->changed = true;
}

static uint32_t size_of(const struct hb__crossings *x, const struct hb__side *s)
{
	return s->root == HB_NO ? x->w->world[s->world].size : x->bridge[s->root].c->size;
}

static hb_named_process name_at(const struct hb__crossings *x, const struct hb__side *s, uint32_t k)
{
	if (s->root == HB_NO)
		return (hb_named_process){s->world, (int32_t)k};
	const struct hb__bridge_at *b = &x->bridge[s->root];
	return hb_worlds_member(x->w, b->log, b->c->member[k]);
}

/* ---- the same bridge at the others ---- */

static int order(uint64_t a, uint64_t b) { return (a > b) - (a < b); }

/* What bridges of one call have in common at all who called it. */
static int compare(const struct hb__bridge_at *a, uint32_t log, const struct hb__bridge_at *like)
{
	int c = order(a->log, log);
	c = c ? c : order(a->b->kind, like->b->kind);
	c = c ? c : order(a->c->index, like->c->index);
	c = c ? c : order(a->c->size, like->c->size);
	return c ? c : order(a->c->remote_size, like->c->remote_size);
}

/* Of the bridges of a log that are like this one and have this root the one with so many before it; or how many such there
 * are before `before`. */
static uint32_t find_alike(const struct hb__crossings *x, uint32_t log, const struct hb__bridge_at *like,
	hb_named_process root, uint32_t wanted, uint32_t before, uint32_t *ret_n)
{
	size_t low = 0, high = x->bridges;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (compare(&x->bridge[x->alike[mid]], log, like) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	*ret_n = 0;
	for (; low < x->bridges; low++) {
		uint32_t at = x->alike[low];
		const struct hb__bridge_at *b = &x->bridge[at];
		if (compare(b, log, like) || at == before)
			break;
		if (hb__same_name(hb_worlds_member(x->w, log, b->b->root), root) && (*ret_n)++ == wanted)
			return at;
	}
	return HB_NO;
}

static uint32_t way_back(const struct hb__crossings *x, uint32_t log)
{
	for (size_t k = x->first[log]; k < x->first[log + 1]; k++)
		if (x->bridge[k].b->kind == HB_BRIDGE_MAKER)
			return (uint32_t)k;
	return HB_NO;
}

/* The bridge by which this log is on the side; nth: of those at the root that look like it. */
static uint32_t bridge_on(const struct hb__crossings *x, const struct hb__side *s, uint32_t log, uint32_t nth)
{
	if (s->root == HB_NO)
		return way_back(x, log);
	const struct hb__bridge_at *root = &x->bridge[s->root];
	hb_named_process name = {x->w->of[root->log], x->logs[root->log].rank};
	uint32_t n;
	return log == root->log ? s->root : find_alike(x, log, root, name, nth, HB_NO, &n);
}

static uint32_t nth_of(const struct hb__crossings *x, const struct hb__side *s)
{
	uint32_t n = 0;
	if (s->root == HB_NO)
		return 0;
	const struct hb__bridge_at *root = &x->bridge[s->root];
	find_alike(x, root->log, root, (hb_named_process){x->w->of[root->log], x->logs[root->log].rank}, HB_NO, s->root,
		&n);
	return n;
}

/* True: nothing is left to be told. */
static bool tell(struct hb__crossings *x, uint32_t crossing, int which)
{
	const struct hb__side *side = &x->crossing[crossing].side[which], *there = &x->crossing[crossing].side[!which];
	uint32_t nth = nth_of(x, side), others = size_of(x, there);
	bool whole = true;
	for (uint32_t k = 0; k < size_of(x, side); k++) {
		hb_named_process who = name_at(x, side, k);
		uint32_t log = hb__log_called(x, who), at = log == HB_NO ? HB_NO : bridge_on(x, side, log, nth);
		whole = whole && who.world != HB_NO && (log == HB_NO || at != HB_NO);
		if (at == HB_NO)
			continue;
		x->bridge[at].crossing = crossing;
		x->bridge[at].caller = !which;
		for (uint32_t r = 0; r < x->bridge[at].c->remote_size && r < others; r++) {
			hb_named_process other = name_at(x, there, r);
			know(x, log, x->bridge[at].c->remote[r], other);
			whole = whole && other.world != HB_NO;
		}
	}
	return whole;
}

void hb__tell_strangers(struct hb__crossings *x, uint32_t crossing)
{
	if (x->crossing[crossing].told)
		return;
	bool first = tell(x, crossing, 0);
	x->crossing[crossing].told = tell(x, crossing, 1) && first;
}
