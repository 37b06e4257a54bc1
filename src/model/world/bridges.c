/* Who the strangers of each process are: those whom it spawned, and those who made its own world. */
#include <stdlib.h>
#include <string.h>

#include "calls/meaning.h"
#include "model/world/world.h"

struct crossing {
	const hb_log_named *logs;
	size_t n;
	hb_worlds *w;
	bool changed;
};

static const hb_comm *comm_of(const struct crossing *x, size_t log, const hb_bridge *b)
{
	return b ? hb_log_comm(x->logs[log].log, b->comm) : NULL;
}

static bool same(hb_named_process a, hb_named_process b)
{
	return a.world != HB_NO && a.world == b.world && a.rank == b.rank;
}

static uint32_t log_of(const struct crossing *x, hb_named_process p)
{
	for (size_t i = 0; p.world != HB_NO && i < x->n; i++)
		if (x->logs[i].log && x->w->of[i] == p.world && x->logs[i].rank == p.rank)
			return (uint32_t)i;
	return HB_NO;
}

/* The root of the call is this process. */
static bool is_root(const struct crossing *x, size_t log, const hb_bridge *b)
{
	const hb_comm *c = comm_of(x, log, b);
	return c && b->root >= 0 && b->root == x->logs[log].rank;
}

/* ---- which call made a world ---- */

static bool made_already(const hb_worlds *w, hb_named_process maker, uint32_t bridge)
{
	for (uint32_t i = 0; i < w->n; i++)
		if (w->world[i].bridge == bridge && same(w->world[i].maker, maker))
			return true;
	return false;
}

/* A bridge of this log that may have made the world; `inside`: the world began while it was made. */
static uint32_t bridge_to(const struct crossing *x, size_t log, const hb_world *to, bool inside)
{
	const hb_bridge *b;
	hb_named_process maker = {x->w->of[log], x->logs[log].rank};
	for (uint32_t i = 0; (b = hb_log_bridge(x->logs[log].log, i)); i++) {
		const hb_comm *c = comm_of(x, log, b);
		if (b->kind != HB_BRIDGE_SPAWNED || !is_root(x, log, b) || c->remote_size != to->size ||
			made_already(x->w, maker, i))
			continue;
		if (!inside || (b->entered <= to->began && to->began <= b->returned))
			return i;
	}
	return HB_NO;
}

/* Of worlds that do not say who made them: the one call that can have been it. */
static void guess_maker(struct crossing *x, hb_world *to)
{
	uint32_t found = 0, bridge = HB_NO;
	hb_named_process maker = {HB_NO, -1};
	for (size_t i = 0; i < x->n; i++) {
		uint32_t at = x->logs[i].log ? bridge_to(x, i, to, true) : HB_NO;
		found += at != HB_NO;
		if (at != HB_NO) {
			maker = (hb_named_process){x->w->of[i], x->logs[i].rank};
			bridge = at;
		}
	}
	if (found == 1) {
		to->maker = maker;
		to->bridge = bridge;
	}
}

static void find_bridges(struct crossing *x)
{
	for (int inside = 1; inside >= 0; inside--)
		for (uint32_t i = 0; i < x->w->n; i++) {
			hb_world *to = &x->w->world[i];
			uint32_t log = to->bridge == HB_NO && !to->lone ? log_of(x, to->maker) : HB_NO;
			if (log != HB_NO)
				to->bridge = bridge_to(x, log, to, inside);
			else if (to->spawned && !to->lone && to->maker.world == HB_NO && inside)
				guess_maker(x, to);
		}
}

/* ---- strangers ---- */

static void know(struct crossing *x, size_t log, int64_t member, hb_named_process who)
{
	uint64_t k = member < -1 ? (uint64_t)(-2 - member) : UINT64_MAX;
	if (who.world == HB_NO || k >= x->w->strangers[log] || x->w->stranger[log][k].world != HB_NO)
		return;
	x->w->stranger[log][k] = who;
	x->changed = true;
}

/* The remote group of a bridge of this log is this world. */
static void know_world(struct crossing *x, size_t log, const hb_bridge *b, uint32_t world)
{
	const hb_comm *c = comm_of(x, log, b);
	for (uint32_t i = 0; c && i < c->remote_size; i++)
		know(x, log, c->remote[i], (hb_named_process){world, (int32_t)i});
}

/* The remote group of the way back to those who made the world of this log. */
static void know_makers(struct crossing *x, size_t log, size_t root, const hb_comm *there)
{
	const hb_bridge *b;
	for (uint32_t i = 0; (b = hb_log_bridge(x->logs[log].log, i)); i++) {
		const hb_comm *c = comm_of(x, log, b);
		for (uint32_t k = 0; b->kind == HB_BRIDGE_MAKER && c && k < c->remote_size && k < there->size; k++)
			know(x, log, c->remote[k], hb_worlds_member(x->w, root, there->member[k]));
	}
}

/* Which of the bridges of `log` that look like this one of the root it is: how many there are before it (as far as `before`). */
static uint32_t alike(const struct crossing *x, size_t log, hb_named_process root, const hb_comm *like, uint32_t before,
	uint32_t wanted, uint32_t *ret_n)
{
	const hb_bridge *b;
	*ret_n = 0;
	for (uint32_t i = 0; i < before && (b = hb_log_bridge(x->logs[log].log, i)); i++) {
		const hb_comm *c = comm_of(x, log, b);
		if (b->kind == HB_BRIDGE_SPAWNED && c && c->index == like->index && c->size == like->size &&
			c->remote_size == like->remote_size && same(hb_worlds_member(x->w, log, b->root), root) &&
			(*ret_n)++ == wanted)
			return i;
	}
	return HB_NO;
}

/* What the root's bridge tells the others of its local group. */
static void know_at_others(struct crossing *x, uint32_t world, size_t root, const hb_comm *there)
{
	const hb_world *to = &x->w->world[world];
	uint32_t nth, n;
	alike(x, root, to->maker, there, to->bridge, HB_NO, &nth);
	for (uint32_t k = 0; k < there->size; k++) {
		uint32_t log = log_of(x, hb_worlds_member(x->w, root, there->member[k]));
		uint32_t at = log == HB_NO || log == root ? HB_NO : alike(x, log, to->maker, there, HB_NO, nth, &n);
		if (at != HB_NO)
			know_world(x, log, hb_log_bridge(x->logs[log].log, at), world);
	}
}

static bool count_strangers(struct crossing *x)
{
	for (size_t i = 0; i < x->n; i++) {
		const hb_bridge *b;
		for (uint32_t k = 0; x->logs[i].log && (b = hb_log_bridge(x->logs[i].log, k)); k++) {
			const hb_comm *c = comm_of(x, i, b);
			for (uint32_t r = 0; c && r < c->remote_size; r++)
				if (c->remote[r] < -1 && (uint32_t)(-2 - c->remote[r]) >= x->w->strangers[i])
					x->w->strangers[i] = (uint32_t)(-2 - c->remote[r]) + 1;
		}
		/* as many as a bridge can lead to: the number comes from a file */
		if (x->w->strangers[i] > 1 << 24)
			x->w->strangers[i] = 0;
		x->w->stranger[i] = malloc(((size_t)x->w->strangers[i] + 1) * sizeof **x->w->stranger);
		if (!x->w->stranger[i])
			return false;
		for (uint32_t k = 0; k < x->w->strangers[i]; k++)
			x->w->stranger[i][k] = (hb_named_process){HB_NO, -1};
	}
	return true;
}

static void count_unknown(struct crossing *x)
{
	for (size_t i = 0; i < x->n; i++) {
		const hb_bridge *b;
		for (uint32_t k = 0; x->logs[i].log && (b = hb_log_bridge(x->logs[i].log, k)); k++) {
			const hb_comm *c = comm_of(x, i, b);
			x->w->unknown += c && c->remote_size && hb_worlds_member(x->w, i, c->remote[0]).world == HB_NO;
		}
	}
}

bool hb__cross_bridges(const hb_log_named *logs, size_t n, hb_worlds *worlds)
{
	struct crossing x = {.logs = logs, .n = n, .w = worlds, .changed = true};
	if (!count_strangers(&x))
		return false;
	find_bridges(&x);
	/* a member of one bridge may have been met by another: until nothing is new */
	while (x.changed) {
		x.changed = false;
		for (uint32_t i = 0; i < worlds->n; i++) {
			const hb_world *to = &worlds->world[i];
			uint32_t root = to->bridge == HB_NO ? HB_NO : log_of(&x, to->maker);
			const hb_bridge *b = root == HB_NO ? NULL : hb_log_bridge(logs[root].log, to->bridge);
			const hb_comm *there = comm_of(&x, root, b);
			if (!there)
				continue;
			know_world(&x, root, b, i);
			for (size_t log = 0; log < n; log++)
				if (logs[log].log && worlds->of[log] == i)
					know_makers(&x, log, root, there);
			know_at_others(&x, i, root, there);
		}
	}
	count_unknown(&x);
	return true;
}
