/* Which logs are of one world, and the numbers of the worlds: hbdb-recording(5), WORLDS. */
#include <stdlib.h>
#include <string.h>

#include "model/world/crossing.h"

static const hb_identity *identity(const hb_log_named *l) { return l->log ? hb_log_identity(l->log) : NULL; }

/* Whether the log says which world it is of. */
static bool says(const hb_log_named *l)
{
	const hb_identity *id = identity(l);
	return id && *id->world;
}

static bool started(const hb_log_named *l)
{
	const hb_identity *id = identity(l);
	return !id || !id->spawned;
}

/* From version 2 on a log says its world when MPI has begun: its process ended before that, and its launcher said which one it is. */
static bool broke_off(const hb_log_named *l) { return l->log && !identity(l) && hb_log_get_info(l->log)->version > 1; }

/* Its process has no MPI, and so no rank that means something. */
static bool outside(const hb_log_named *l)
{
	const hb_identity *id = identity(l);
	return id && !*id->world && !id->spawned && !hb_log_get_info(l->log)->library;
}

static void join(hb_worlds *w, const hb_log_named *logs, size_t i, uint32_t at)
{
	const hb_identity *id = identity(&logs[i]);
	const hb_log_info *info = logs[i].log ? hb_log_get_info(logs[i].log) : NULL;
	hb_world *world = &w->world[at];
	uint32_t size =
		info && info->size > 0 && info->size > logs[i].rank ? (uint32_t)info->size : (uint32_t)logs[i].rank + 1;
	w->of[i] = at;
	world->size = size > world->size ? size : world->size;
	if (id && (!world->began || id->began < world->began))
		world->began = id->began;
	if (id)
		world->spawned = id->spawned;
	world->outside = outside(&logs[i]);
}

static uint32_t new_world(hb_worlds *w, size_t log, bool lone, uint32_t number)
{
	w->world[w->n] =
		(hb_world){.number = number, .lone = lone, .maker = {HB_NO, -1}, .log = (uint32_t)log, .bridge = HB_NO};
	return w->n++;
}

/* The world of logs of which nothing but the names of their files is known, or that cannot be read: the one that was
 * started first. */
static uint32_t first_started(const hb_worlds *w)
{
	uint32_t first = HB_NO;
	for (uint32_t i = 0; i < w->n; i++)
		if (!w->world[i].lone && !w->world[i].spawned && !w->world[i].outside &&
			(first == HB_NO || w->world[i].began < w->world[first].began))
			first = i;
	return first;
}

static uint32_t named_world(const hb_worlds *w, const hb_log_named *logs, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (says(&logs[k]) && !strcmp(identity(&logs[k])->world, identity(&logs[i])->world))
			return w->of[k];
	return HB_NO;
}

/* What has no more than the name of its file: a log that cannot be read, or of a process that ended before it could say its world. */
static bool silent(const hb_log_named *l) { return !l->log || (!l->pid && broke_off(l)); }

static bool has_rank(const hb_worlds *w, const hb_log_named *logs, size_t n, uint32_t at, int32_t rank)
{
	for (size_t k = 0; k < n; k++)
		if (!silent(&logs[k]) && w->of[k] == at && logs[k].rank == rank)
			return true;
	return false;
}

/* Logs that say their world, by what they say; the others by the names of their files. */
static void gather(hb_worlds *w, const hb_log_named *logs, size_t n)
{
	uint32_t unnamed = HB_NO;
	for (size_t i = 0; i < n; i++) {
		uint32_t at = says(&logs[i]) ? named_world(w, logs, i) : HB_NO;
		if (silent(&logs[i]))
			continue;
		if (at == HB_NO && says(&logs[i]))
			at = new_world(w, i, false, 0);
		else if (at == HB_NO && !outside(&logs[i]) && (!logs[i].pid || broke_off(&logs[i])) &&
			 started(&logs[i]))
			at = unnamed == HB_NO ? (unnamed = new_world(w, i, false, 0)) : unnamed;
		else if (at == HB_NO)
			at = new_world(w, i, !outside(&logs[i]), identity(&logs[i]) ? 0 : logs[i].pid);
		join(w, logs, i, at);
	}
	for (size_t i = 0; i < n; i++) {
		if (!silent(&logs[i]))
			continue;
		uint32_t at = logs[i].pid ? HB_NO : unnamed != HB_NO ? unnamed : first_started(w);
		if (logs[i].log && at != HB_NO && at != unnamed && has_rank(w, logs, n, at, logs[i].rank))
			at = HB_NO;
		if (logs[i].log && at == HB_NO)
			at = unnamed = new_world(w, i, false, 0);
		join(w, logs, i, at == HB_NO ? new_world(w, i, logs[i].pid, logs[i].pid) : at);
	}
}

/* ---- numbers ---- */

struct numbering {
	hb_worlds *w;
	bool *serves; /* by place: one of its processes accepted others */
	const hb_log_named *logs;
	uint32_t *order; /* places of worlds by number */
	uint32_t n;
	bool *done;
};

static const char *program_of(const struct numbering *m, const hb_world *world)
{
	const hb_log *log = m->logs[world->log].log;
	return log ? hb_log_get_info(log)->program : "";
}

/* Those that nobody made begin in an order that is chance: what they are comes before when they began. */
static bool before(const struct numbering *m, uint32_t i, uint32_t k)
{
	const hb_world *a = &m->w->world[i], *b = &m->w->world[k];
	int program = a->maker.world == HB_NO ? strcmp(program_of(m, a), program_of(m, b)) : 0;
	if (a->outside || b->outside)
		return a->outside && b->outside ? hb__made_before(m->logs[a->log].log, m->logs[b->log].log)
						: b->outside;
	if (a->maker.world != HB_NO && a->maker.rank != b->maker.rank)
		return a->maker.rank < b->maker.rank;
	if (a->maker.world == HB_NO && m->serves[i] != m->serves[k])
		return m->serves[i];
	return program ? program < 0 : a->began < b->began;
}

static void take(struct numbering *m, uint32_t at)
{
	m->done[at] = true;
	m->order[m->n++] = at;
}

/* The first world of those not numbered yet that `maker` made (HB_NO: that were started; HB_NO - 1: all); HB_NO: none. */
static uint32_t next(const struct numbering *m, uint32_t maker)
{
	uint32_t first = HB_NO;
	for (uint32_t i = 0; i < m->w->n; i++) {
		const hb_world *world = &m->w->world[i];
		bool fits = maker == HB_NO - 1 ||
			    (maker == HB_NO ? !world->spawned && !world->outside : world->maker.world == maker);
		if (!m->done[i] && fits && (first == HB_NO || before(m, i, first)))
			first = i;
	}
	return first;
}

/* The worlds made in those from `from` on, and in these. */
static void take_made(struct numbering *m, uint32_t from)
{
	for (; from < m->n; from++)
		for (uint32_t made; (made = next(m, m->order[from])) != HB_NO;)
			take(m, made);
}

static bool *find_servers(const hb_worlds *w, const hb_log_named *logs, size_t n)
{
	bool *serves = calloc(w->n + 1, sizeof *serves);
	const hb_bridge *b;
	for (size_t i = 0; serves && i < n; i++)
		for (uint32_t k = 0; logs[i].log && (b = hb_log_bridge(logs[i].log, k)); k++)
			serves[w->of[i]] |= b->kind == HB_BRIDGE_ACCEPTED;
	return serves;
}

static bool number(hb_worlds *w, const hb_log_named *logs, size_t n)
{
	struct numbering m = {.w = w,
		.logs = logs,
		.serves = find_servers(w, logs, n),
		.order = calloc(w->n + 1, sizeof *m.order),
		.done = calloc(w->n + 1, sizeof *m.done)};
	hb_world *sorted = calloc(w->n + 1, sizeof *sorted);
	uint32_t *place = calloc(w->n + 1, sizeof *place), first = HB_NO;
	bool good = m.serves && m.order && m.done && sorted && place;
	for (uint32_t i = 0; good && i < w->n; i++) /* where nothing but the names of the files is known */
		if (!w->world[i].lone && !w->world[i].outside && !says(&logs[w->world[i].log]))
			first = i;
	if (good && first != HB_NO)
		take(&m, first);
	for (uint32_t which = HB_NO, at; good && m.n < w->n; which = HB_NO - 1)
		for (take_made(&m, 0); (at = next(&m, which)) != HB_NO; take_made(&m, m.n - 1))
			take(&m, at);
	bool orphans = good && w->n && w->world[m.order[0]].spawned; /* the world that was started was not recorded */
	for (uint32_t i = 0; good && i < m.n; i++) {
		sorted[i] = w->world[m.order[i]];
		/* worlds without identities keep the PIDs that they have in place of numbers */
		sorted[i].number = sorted[i].number ? sorted[i].number : i + orphans;
		place[m.order[i]] = i;
	}
	for (size_t i = 0; good && i < n; i++)
		w->of[i] = place[w->of[i]];
	for (uint32_t i = 0; good && i < w->n; i++)
		if (sorted[i].maker.world != HB_NO)
			sorted[i].maker.world = place[sorted[i].maker.world];
	if (good)
		memcpy(w->world, sorted, w->n * sizeof *sorted);
	free(m.serves);
	free(m.order);
	free(m.done);
	free(sorted);
	free(place);
	return good;
}

static void find_makers(hb_worlds *w, const hb_log_named *logs, size_t n)
{
	for (uint32_t i = 0; i < w->n; i++) {
		const hb_identity *id = identity(&logs[w->world[i].log]);
		for (size_t k = 0; id && id->spawned && *id->maker && k < n; k++)
			if (says(&logs[k]) && !strcmp(identity(&logs[k])->world, id->maker)) {
				w->world[i].maker = (hb_named_process){w->of[k], id->maker_rank};
				break;
			}
	}
}

bool hb_worlds_find(const hb_log_named *logs, size_t n, hb_worlds *ret)
{
	*ret = (hb_worlds){.world = calloc(n + 1, sizeof *ret->world),
		.of = calloc(n + 1, sizeof *ret->of),
		.stranger = calloc(n + 1, sizeof *ret->stranger),
		.strangers = calloc(n + 1, sizeof *ret->strangers)};
	if (!ret->world || !ret->of || !ret->stranger || !ret->strangers)
		return false;
	gather(ret, logs, n);
	find_makers(ret, logs, n);
	return number(ret, logs, n) && hb__name_processes(logs, n, ret) && hb__cross_bridges(logs, n, ret);
}

void hb_worlds_free(hb_worlds *w, size_t n)
{
	for (size_t i = 0; w->stranger && i < n; i++)
		free(w->stranger[i]);
	free(w->world);
	free(w->of);
	free(w->name);
	free(w->stranger);
	free(w->strangers);
	free(w->way);
	*w = (hb_worlds){0};
}
