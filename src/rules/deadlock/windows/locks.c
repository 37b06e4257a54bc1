/* Who holds the lock that a process waits for. A library may get a lock only when it is used, so the call that blocks
 * may be the one that locks, flushes or unlocks; and a lock that a process has asked for and not used may not be held. That
 * one is believed where nothing moves and the locked process itself is in a call, so that it answers. */
#include "rules/deadlock/windows/windows.h"

/* Of the process on this rank of the window; times 0: none. */
static struct hb__lock lock_on(const struct hb__object *x, int64_t rank)
{
	struct hb__lock all = {-1, false, 0};
	for (uint32_t i = 0; i < x->locks; i++) {
		if (x->lock[i].rank == rank)
			return x->lock[i];
		if (x->lock[i].rank < 0)
			all = x->lock[i];
	}
	return all;
}

/* The process is inside a call on this window and rank: it may wait for the same lock. */
static bool asks(const struct hb__objects *o, const struct hb__object *x, int64_t rank)
{
	const hb_process *p = &hb_model_processes(o->g->m)[x->process];
	for (uint32_t i = 0; i < p->nlines; i++) {
		const struct hb__wait *w = &o->g->wait[p->first_line + i];
		bool locks = w->on_window && w->means->does >= HB_DOES_WINDOW_LOCK &&
			     w->means->does <= HB_DOES_WINDOW_FLUSH_LOCAL_ALL;
		if (locks && w->object == x->number && (w->rank < 0 || w->rank == rank))
			return true;
	}
	return false;
}

/* Each of its threads is in a call, or asks: the library works there. Or it is over, and nothing is given any more. */
static bool answers(const struct hb__graph *g, uint32_t process)
{
	const hb_process *p = &hb_model_processes(g->m)[process];
	bool good = g->process[process] != HB__RUNS, inside = g->process[process] == HB__OVER;
	for (uint32_t i = 0; i < p->nlines; i++) {
		const struct hb__wait *w = &g->wait[p->first_line + i];
		good &= g->process[process] == HB__OVER || w->name;
		inside |= w->name && !w->asleep;
	}
	return good && inside;
}

/* Those who hold the lock of this rank against `mine`; how many, at most `most`. */
static uint32_t holders(struct hb__objects *o, const struct hb__wait *w, const struct hb__object *x, int64_t rank,
	bool exclusive, uint32_t *ret, uint32_t most)
{
	const hb_group *group = &hb_model_groups(o->g->m)[x->group];
	uint32_t n = 0;
	for (uint32_t i = 0; i < group->size && n < most; i++) {
		struct hb__object *other = group->member[i] == HB_NO ? NULL : hb__object_at(o, group->member[i], x);
		struct hb__lock held = other ? lock_on(other, rank) : (struct hb__lock){-1, false, 0};
		bool self = group->member[i] == w->process;
		if (!held.times || !(held.exclusive || exclusive))
			continue;
		if (self ? w->means->does == HB_DOES_WINDOW_LOCK && held.rank == rank && held.times > 1
			 : !asks(o, other, rank))
			ret[n++] = group->member[i];
	}
	return n;
}

static bool need_lock(
	struct hb__objects *o, struct hb__wait *w, const struct hb__object *x, int64_t rank, bool exclusive)
{
	enum { MOST = 64 };
	struct hb__graph *g = o->g;
	uint32_t holder[MOST], target = hb_model_groups(g->m)[x->group].member[rank];
	uint32_t n = holders(o, w, x, rank, exclusive, holder, MOST);
	if (!n || n == MOST || target == HB_NO || !answers(g, target))
		return false;
	struct hb__need need = {HB__WANT_UNLOCK, target, holder[0], holder[0], x->group, (int32_t)rank};
	if (n > 1) { /* only one of them has it */
		need.node = hb__node_new(g, HB__NODE_ANY, x->group, 1);
		for (uint32_t i = 0; i < n; i++)
			hb__edge_new(g, need.node, holder[i], HB_NO);
	}
	hb__need(g, w, need);
	return true;
}

bool hb__need_locks(struct hb__objects *o, struct hb__wait *w, const struct hb__object *x)
{
	bool any = false;
	uint32_t size = hb_model_groups(o->g->m)[x->group].size;
	if (!o->g->hanging || w->rank >= size)
		return false;
	if (w->rank >= 0) {
		struct hb__lock mine = lock_on(x, w->rank);
		if (w->means->does == HB_DOES_WINDOW_UNLOCK)
			mine = x->unlocked;
		return mine.times && need_lock(o, w, x, w->rank, mine.exclusive);
	}
	/* of all ranks: those that nobody else holds are no reason */
	w->any = w->means->does != HB_DOES_WINDOW_LOCK_ALL;
	for (uint32_t r = 0; r < size; r++)
		any |= need_lock(o, w, x, r, lock_on(x, r).exclusive);
	return any;
}
