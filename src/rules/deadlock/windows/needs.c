/* What a call on a window or a file needs: who is missing from a collective one, whose post or complete is missing, who
 * holds the lock. */
#include "rules/deadlock/windows/windows.h"

/* ---- collective calls ---- */

/* Same call of another process, or it was there already. A split one counts by its name. */
static bool came(const struct hb__objects *o, const struct hb__object *mine, const struct hb__object *other)
{
	if (other->calls != mine->calls)
		return other->calls > mine->calls;
	if (!hb__under_way(o->g, other->last))
		return true;
	const char *a = mine->last->call->fn;
	const char *b = other->last->call->fn;
	return !strcmp(a, b);
}

static bool need_others(struct hb__objects *o, struct hb__wait *w, const struct hb__object *x)
{
	struct hb__graph *g = o->g;
	const hb_group *group = &hb_model_groups(g->m)[x->group];
	uint32_t node = HB_NO;
	for (uint32_t i = 0; i < group->size; i++) /* somebody who is not known may come any time */
		if (group->member[i] == HB_NO || !hb__object_at(o, group->member[i], x))
			return false;
	for (uint32_t i = 0; i < group->size; i++) {
		uint32_t p = group->member[i];
		if (p == w->process || came(o, x, hb__object_at(o, p, x)))
			continue;
		if (node == HB_NO)
			node = hb__node_new(g, HB__NODE_PARTS, x->id, 0);
		g->node[node].needs++;
		hb__edge_new(g, node, p, HB_NO);
	}
	if (node != HB_NO)
		hb__need(g, w, (struct hb__need){HB__WANT_COLLECTIVE, x->id, node, HB_NO, x->group, 0});
	return node != HB_NO;
}

/* ---- post and start ---- */

static bool is_kind(const hb_remark *r, enum hb_sync kind) { return r->winsync->kind == kind; }

/* Calls FUNCTION for each process of the remark's group; false: it is not told. */
static bool each_rank(const struct hb__objects *o, const struct hb__object *x, const hb_remark *r, uint32_t *ret,
	uint32_t most, uint32_t *ret_n)
{
	const hb_group *group = &hb_model_groups(o->g->m)[x->group];
	hb_numbers ranks = r->winsync->ranks;
	*ret_n = 0;
	for (uint32_t i = 0; i < ranks.n; i++) {
		uint64_t rank = (uint64_t)ranks.at[i];
		if (rank >= group->size || group->member[rank] == HB_NO || *ret_n == most)
			return false;
		ret[(*ret_n)++] = group->member[rank];
	}
	return ranks.n;
}

enum { GROUP = 128 };

/* How many starts or posts of a process name another one; *ret_ended: how many of these starts were completed. -1: not known. */
static int64_t count(
	const struct hb__objects *o, const struct hb__object *x, enum hb_sync kind, uint32_t named, int64_t *ret_ended)
{
	uint32_t member[GROUP], n;
	int64_t sum = 0;
	bool open = false;
	*ret_ended = 0;
	for (uint32_t i = 0; i < x->epochs; i++) {
		if (is_kind(x->epoch[i], HB_SYNC_COMPLETE)) {
			*ret_ended += open && !hb__under_way(o->g, x->epoch[i]);
			open = false;
		}
		if (!is_kind(x->epoch[i], kind))
			continue;
		if (!each_rank(o, x, x->epoch[i], member, GROUP, &n))
			return -1;
		open = false;
		for (uint32_t k = 0; k < n; k++)
			open |= member[k] == named;
		sum += open;
	}
	return sum;
}

/* The partners of the last start (complete: of the one that it ends) or post. */
static bool partners(
	const struct hb__objects *o, const struct hb__object *x, enum hb_sync kind, uint32_t *ret, uint32_t *n)
{
	for (uint32_t i = x->epochs; i-- > 0;)
		if (is_kind(x->epoch[i], kind))
			return each_rank(o, x, x->epoch[i], ret, GROUP, n);
	return false;
}

static bool need_posts(struct hb__objects *o, struct hb__wait *w, const struct hb__object *x)
{
	uint32_t member[GROUP], n, before = w->n;
	int64_t ended;
	if (!partners(o, x, HB_SYNC_START, member, &n))
		return false;
	for (uint32_t i = 0; i < n; i++) {
		struct hb__object *other = hb__object_at(o, member[i], x);
		int64_t posts = other ? count(o, other, HB_SYNC_POST, w->process, &ended) : -1;
		int64_t starts = count(o, x, HB_SYNC_START, member[i], &ended);
		if (posts < 0 || starts < 0)
			return false;
		if (posts < starts)
			hb__need(o->g, w, (struct hb__need){HB__WANT_POST, HB_NO, member[i], member[i], x->group, 0});
	}
	return w->n > before;
}

static bool need_completes(struct hb__objects *o, struct hb__wait *w, const struct hb__object *x)
{
	uint32_t member[GROUP], n, before = w->n;
	int64_t ended, none;
	if (!partners(o, x, HB_SYNC_POST, member, &n))
		return false;
	for (uint32_t i = 0; i < n; i++) {
		struct hb__object *other = hb__object_at(o, member[i], x);
		int64_t starts = other ? count(o, other, HB_SYNC_START, w->process, &ended) : -1;
		int64_t posts = count(o, x, HB_SYNC_POST, member[i], &none);
		if (posts < 0 || starts < 0)
			return false;
		if (ended < posts)
			hb__need(o->g, w,
				(struct hb__need){starts < posts ? HB__WANT_START : HB__WANT_COMPLETE, HB_NO, member[i],
					member[i], x->group, 0});
	}
	return w->n > before;
}

/* ---- all ---- */

static bool known(struct hb__objects *o, struct hb__wait *w, const struct hb__object *x)
{
	uint8_t does = x->file ? HB_DOES_NOTHING : w->means->does;
	if (x->file || does == HB_DOES_WINDOW_FENCE || does == HB_DOES_WINDOW_FREE)
		return x->last && x->last->at.line == w->line && hb__under_way(o->g, x->last) && need_others(o, w, x);
	if (does == HB_DOES_WINDOW_START || does == HB_DOES_WINDOW_COMPLETE)
		return need_posts(o, w, x);
	if (does == HB_DOES_WINDOW_WAIT)
		return need_completes(o, w, x);
	return hb__need_locks(o, w, x);
}

bool hb__need_objects(struct hb__graph *g, hb_error *err)
{
	struct hb__objects o = {.g = g};
	bool wanted = false, good = true;
	for (uint32_t l = 0; l < hb_model_get_info(g->m)->lines; l++)
		wanted |= g->wait[l].on_window || g->wait[l].on_file || g->wait[l].completes;
	if (!wanted)
		return true;
	good = hb__objects_read(g, &o, err);
	for (uint32_t l = 0; l < hb_model_get_info(g->m)->lines && good; l++) {
		struct hb__wait *w = &g->wait[l], was = *w;
		struct hb__object *x = w->on_window || w->on_file ? hb__object_of(&o, w) : NULL;
		if (w->completes && *w->unready) {
			w->n = 0;
			w->any = w->done = false;
			w->state = HB__BLOCKED;
			hb__need(g, w, (struct hb__need){HB__WANT_READY, HB_NO, w->process, w->process, HB_NO, 0});
		}
		if (!x || x->id == HB_NO)
			continue;
		w->n = 0;
		w->any = w->done = false;
		if (known(&o, w, x))
			w->state = w->poll ? HB__POLLS : HB__BLOCKED;
		else
			*w = was;
	}
	hb__objects_free(&o);
	return good && !o.no_memory;
}
