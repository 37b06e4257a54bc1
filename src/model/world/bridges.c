/* Where the bridges of all logs lead: to a world that was made, back to those who made it, to those who were met. */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "model/world/crossing.h"

static int order(uint64_t a, uint64_t b) { return (a > b) - (a < b); }

/* ---- logs by name ---- */

static int by_name(const void *a, const void *b, void *user)
{
	const struct hb__crossings *x = user;
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	int c = order(x->w->of[i], x->w->of[k]);
	c = c ? c : (x->logs[i].rank > x->logs[k].rank) - (x->logs[i].rank < x->logs[k].rank);
	return c ? c : order(i, k);
}

uint32_t hb__log_called(const struct hb__crossings *x, hb_named_process p)
{
	size_t low = 0, high = p.world == HB_NO ? 0 : x->named;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		uint32_t i = x->by_name[mid], world = x->w->of[i];
		if (world < p.world || (world == p.world && x->logs[i].rank < p.rank))
			low = mid + 1;
		else
			high = mid;
	}
	uint32_t found = p.world != HB_NO && low < x->named ? x->by_name[low] : HB_NO;
	return found != HB_NO && x->w->of[found] == p.world && x->logs[found].rank == p.rank ? found : HB_NO;
}

/* ---- bridges ---- */

static int by_likeness(const void *a, const void *b, void *user)
{
	const struct hb__crossings *x = user;
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	const struct hb__bridge_at *p = &x->bridge[i], *q = &x->bridge[k];
	int c = order(p->log, q->log);
	c = c ? c : order(p->b->kind, q->b->kind);
	c = c ? c : order(p->c->index, q->c->index);
	c = c ? c : order(p->c->size, q->c->size);
	c = c ? c : order(p->c->remote_size, q->c->remote_size);
	return c ? c : order(i, k);
}

static bool list_bridges(struct hb__crossings *x)
{
	size_t room = 0;
	const hb_bridge *b;
	x->first = calloc(x->n + 1, sizeof *x->first);
	x->by_name = malloc((x->n + 1) * sizeof *x->by_name);
	if (!x->first || !x->by_name)
		return false;
	for (size_t i = 0; i < x->n; x->first[++i] = x->bridges) {
		if (!x->logs[i].log)
			continue;
		x->by_name[x->named++] = (uint32_t)i;
		for (uint32_t k = 0; (b = hb_log_bridge(x->logs[i].log, k)); k++) {
			const hb_comm *c = hb_log_comm(x->logs[i].log, b->comm);
			if (!c || b->kind >= HB_BRIDGES)
				continue;
			if (!HB_GROW(x->bridge, room, x->bridges + 1))
				return false;
			x->bridge[x->bridges++] = (struct hb__bridge_at){(uint32_t)i, k, HB_NO, false, b, c};
		}
	}
	x->alike = malloc((x->bridges + 1) * sizeof *x->alike);
	for (size_t i = 0; x->alike && i < x->bridges; i++)
		x->alike[i] = (uint32_t)i;
	if (x->alike)
		qsort_r(x->alike, x->bridges, sizeof *x->alike, by_likeness, x);
	qsort_r(x->by_name, x->named, sizeof *x->by_name, by_name, x);
	return x->alike && x->bridges < HB_NO;
}

void hb__cross(struct hb__crossings *x, uint32_t from, uint32_t to, uint32_t world)
{
	if (!HB_GROW(x->crossing, x->room, x->crossings + 1)) {
		x->no_memory = true;
		return;
	}
	uint32_t number = (uint32_t)x->crossings++;
	x->crossing[number] = (struct hb__crossing){{{from, HB_NO}, {to, world}}, false};
	x->bridge[from].crossing = number;
	x->bridge[from].caller = true;
	if (to != HB_NO)
		x->bridge[to].crossing = number;
	x->changed = true;
}

/* ---- which call made a world ---- */

static bool is_root(const struct hb__crossings *x, const struct hb__bridge_at *b)
{
	return b->b->root >= 0 && b->b->root == x->logs[b->log].rank;
}

/* A bridge of this log that may have made the world; `inside`: the world began while it was made. */
static uint32_t bridge_to(const struct hb__crossings *x, size_t log, const hb_world *to, bool inside)
{
	for (size_t i = x->first[log]; i < x->first[log + 1]; i++) {
		const struct hb__bridge_at *b = &x->bridge[i];
		if (b->b->kind != HB_BRIDGE_SPAWNED || b->crossing != HB_NO || !is_root(x, b) ||
			b->c->remote_size != to->size)
			continue;
		if (!inside || (b->b->entered <= to->began && to->began <= b->b->returned))
			return (uint32_t)i;
	}
	return HB_NO;
}

static void made_by(struct hb__crossings *x, uint32_t world, uint32_t at)
{
	hb_world *to = &x->w->world[world];
	if (at == HB_NO)
		return;
	const struct hb__bridge_at *b = &x->bridge[at];
	to->maker = (hb_named_process){x->w->of[b->log], x->logs[b->log].rank};
	to->bridge = b->place;
	hb__cross(x, at, HB_NO, world);
}

/* Of worlds that do not say who made them: the one call that can have been it, and is not another one's. */
static uint32_t guess(const struct hb__crossings *x, const hb_world *to)
{
	uint32_t found = HB_NO;
	for (size_t i = 0; i < x->n; i++) {
		uint32_t at = bridge_to(x, i, to, true);
		if (at != HB_NO && found != HB_NO)
			return HB_NO;
		found = at != HB_NO ? at : found;
	}
	return found;
}

static void find_makers(struct hb__crossings *x)
{
	for (int inside = 1; inside >= 0; inside--)
		for (uint32_t i = 0; i < x->w->n; i++) {
			const hb_world *to = &x->w->world[i];
			uint32_t log = to->bridge == HB_NO && !to->lone ? hb__log_called(x, to->maker) : HB_NO;
			if (log != HB_NO) {
				uint32_t at = bridge_to(x, log, to, inside);
				made_by(x, i, at);
				/* threads spawn at the same time */
				x->w->by_time += inside && at != HB_NO && bridge_to(x, log, to, inside) != HB_NO;
			}
		}
	/* each that is found leaves fewer for the others */
	for (bool found = true; found;) {
		found = false;
		for (uint32_t i = 0; i < x->w->n; i++) {
			const hb_world *to = &x->w->world[i];
			uint32_t at = to->spawned && !to->lone && to->maker.world == HB_NO ? guess(x, to) : HB_NO;
			made_by(x, i, at);
			found = found || at != HB_NO;
		}
	}
}

/* ---- what was found ---- */

static int by_comm(const void *a, const void *b)
{
	const hb_way *x = a, *y = b;
	return x->log != y->log ? order(x->log, y->log) : order(x->comm, y->comm);
}

static bool keep_ways(struct hb__crossings *x)
{
	hb_worlds *w = x->w;
	w->way = malloc((x->bridges + 1) * sizeof *w->way);
	if (!w->way)
		return false;
	for (size_t i = 0; i < x->bridges; i++) {
		const struct hb__bridge_at *b = &x->bridge[i];
		bool root = b->b->kind == HB_BRIDGE_JOINED || is_root(x, b);
		w->way[w->ways++] = (hb_way){b->log, b->b->comm, b->crossing, b->b->kind, root, b->caller};
		if (b->crossing != HB_NO || !root || !b->c->remote_size)
			continue;
		w->untold[b->b->kind].calls++;
		w->untold[b->b->kind].processes += b->c->remote_size;
	}
	qsort(w->way, w->ways, sizeof *w->way, by_comm);
	for (uint32_t i = 0; i < w->n; i++)
		w->orphans += w->world[i].spawned && !w->world[i].lone && w->world[i].bridge == HB_NO;
	return true;
}

const hb_way *hb_worlds_way(const hb_worlds *w, size_t log, uint32_t comm)
{
	hb_way wanted = {.log = (uint32_t)log, .comm = comm};
	return w->ways ? bsearch(&wanted, w->way, w->ways, sizeof *w->way, by_comm) : NULL;
}

/* Until nothing new is learned: a member of one bridge may have been met by another, and two sides that could belong to several
 * others may fit one only when their members are known. */
static void find_all(struct hb__crossings *x)
{
	find_makers(x);
	for (bool late = false;; late = true) {
		x->changed = true;
		while (x->changed && !x->no_memory) {
			x->changed = false;
			hb__find_meetings(x, false);
			for (uint32_t i = 0; i < x->crossings; i++)
				hb__tell_strangers(x, i);
		}
		if (late)
			hb__find_meetings(x, true);
		if (x->no_memory || (late && !x->changed))
			return;
	}
}

bool hb__cross_bridges(const hb_log_named *logs, size_t n, hb_worlds *worlds)
{
	struct hb__crossings x = {.logs = logs, .n = n, .w = worlds};
	bool good = list_bridges(&x) && hb__list_doors(&x) && hb__list_strangers(&x);
	if (good)
		find_all(&x);
	good = good && !x.no_memory && keep_ways(&x);
	free(x.first);
	free(x.by_name);
	free(x.bridge);
	free(x.alike);
	free(x.door);
	free(x.crossing);
	return good;
}
