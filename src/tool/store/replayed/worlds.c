/* Which processes a replay knows, by which numbers; and which recorded world each call that spawns makes, for who makes it hands the
 * number on. */
#include "folder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "calls/meaning.h"
#include "model/event.h"

/* It begins as a copy of its parent, in the middle of the program: there is nothing from which it could follow a record, unless the recording
 * tells of the calls that made processes. */
static bool by_fork(const hb_logs *logs, size_t i)
{
	const hb_identity *id = hb_log_identity(logs->at[i].log);
	bool told = false;
	for (size_t k = 0; id && id->forked && k < logs->n && !told; k++)
		told = hb_log_calls(logs->at[k].log, HB_DOES_FORK);
	return id && id->forked && !told;
}

static const hb_world *world_of(const hb_logs *logs, size_t i) { return &logs->worlds.world[logs->worlds.of[i]]; }

/* Those of the world that was started, by their ranks; then those without MPI. */
static void number_started(const hb_logs *logs, hb_replay_folder *s, int32_t *numbers)
{
	for (size_t i = 0; i < logs->n; i++) {
		const hb_log_info *info = hb_log_get_info(logs->at[i].log);
		numbers[i] = logs->at[i].world || world_of(logs, i)->outside ? -1 : logs->at[i].rank;
		if (numbers[i] < 0)
			continue;
		s->ranks = numbers[i] >= s->ranks ? numbers[i] + 1 : s->ranks;
		if (info->size > s->ranks && info->size <= HB_RANKS_MAX) /* more is a damaged header */
			s->ranks = info->size;
	}
	s->made = s->ranks;
	for (size_t i = 0; i < logs->n; i++)
		if (world_of(logs, i)->outside && !by_fork(logs, i))
			numbers[i] = s->made++;
	s->size = s->made;
}

static bool is_maker(const hb_logs *logs, const int32_t *numbers, size_t i, const hb_world *made)
{
	return numbers[i] >= 0 && logs->worlds.of[i] == made->maker.world && logs->at[i].rank == made->maker.rank;
}

/* Worlds of which it is known which call of which process that is replayed made them: who makes one comes before it. */
static void number_made(const hb_logs *logs, hb_replay_folder *s, int32_t *numbers)
{
	for (uint32_t w = 0; w < logs->worlds.n; w++) {
		const hb_world *made = &logs->worlds.world[w];
		bool known = false;
		s->first[w] = -1;
		for (size_t i = 0; made->spawned && made->bridge != HB_NO && i < logs->n; i++)
			known = known || is_maker(logs, numbers, i, made);
		if (!known || made->size > (uint32_t)(HB_RANKS_MAX - s->size))
			continue;
		s->first[w] = s->size;
		s->size += (int32_t)made->size;
		for (size_t i = 0; i < logs->n; i++)
			if (logs->worlds.of[i] == w)
				numbers[i] = s->first[w] + logs->at[i].rank;
	}
}

int32_t *hb__replay_numbers(const hb_logs *logs, hb_replay_folder *s)
{
	int32_t *numbers = hb__alloc((logs->n + 1) * sizeof *numbers);
	size_t forked = 0, left = 0;
	s->first = hb__alloc((logs->worlds.n + 1) * sizeof *s->first);
	number_started(logs, s, numbers);
	number_made(logs, s, numbers);
	for (size_t i = 0; i < logs->n; i++) {
		forked += by_fork(logs, i);
		left += numbers[i] < 0 && !world_of(logs, i)->outside;
	}
	if (forked)
		hb__say("the recording has processes that fork made: in a replay they run without following their records, and their events are not compared");
	if (left)
		hb__say("of %zu %s of the recording it is not known by which call the program started %s: in a replay %s run without following %s",
			left, hb__plural(left, "process", "processes"), hb__plural(left, "it", "them"),
			hb__plural(left, "it", "they"), hb__plural(left, "its record", "their records"));
	return numbers;
}

static const hb_ancestor *ancestor_from_end(const hb_log *log, uint32_t back)
{
	uint32_t n = 0;
	while (hb_log_ancestor(log, n))
		n++;
	return n > back ? hb_log_ancestor(log, n - 1 - back) : NULL;
}

size_t hb__forked_from(const hb_logs *logs, size_t i)
{
	const hb_identity *id = hb_log_identity(logs->at[i].log), *best = NULL;
	const hb_ancestor *maker = id && id->forked ? ancestor_from_end(logs->at[i].log, 1) : NULL;
	size_t found = logs->n;
	for (size_t k = 0; maker && k < logs->n; k++) {
		const hb_ancestor *a = k == i ? NULL : ancestor_from_end(logs->at[k].log, 0);
		const hb_identity *of = hb_log_identity(logs->at[k].log);
		bool is = a && of && a->pid == maker->pid && a->started == maker->started && of->began <= id->began;
		/* a process that becomes another program has a log of each */
		if (is && (!best || of->began > best->began)) {
			best = of;
			found = k;
		}
	}
	return found;
}

/* The world that this bridge of this log made; NULL: none that is replayed. */
static const hb_world *made_by(
	const hb_logs *logs, const int32_t *numbers, const hb_replay_folder *s, size_t i, uint32_t bridge)
{
	for (uint32_t w = 0; w < logs->worlds.n; w++) {
		const hb_world *made = &logs->worlds.world[w];
		if (s->first[w] >= s->made && made->bridge == bridge && is_maker(logs, numbers, i, made))
			return made;
	}
	return NULL;
}

static bool write_line(
	FILE *f, const hb_logs *logs, const int32_t *numbers, const hb_replay_folder *s, size_t i, uint32_t k)
{
	const hb_bridge *b = hb_log_bridge(logs->at[i].log, k);
	const hb_way *way = hb_worlds_way(&logs->worlds, i, b->comm);
	if (!way || !way->root)
		return true;
	const hb_world *made = b->kind == HB_BRIDGE_SPAWNED ? made_by(logs, numbers, s, i, k) : NULL;
	long long to = made ? s->first[made - logs->worlds.world] : -1;
	if (b->kind == HB_BRIDGE_ACCEPTED || b->kind == HB_BRIDGE_CONNECTED)
		to = way->crossing == HB_NO ? -1 : (long long)way->crossing;
	else if (b->kind != HB_BRIDGE_SPAWNED)
		return true;
	return fprintf(f, "%d %u %u %lld %u\n", numbers[i], b->kind, b->comm, to, made ? made->number : 0) > 0;
}

hb_status hb__write_bridges(const hb_logs *logs, const int32_t *numbers, const hb_replay_folder *s, hb_error *ret_err)
{
	char *path = hb__format("%s/bridges", s->script);
	FILE *f = fopen(path, "we");
	bool good = f != NULL;
	for (size_t i = 0; good && i < logs->n; i++)
		for (uint32_t k = 0; good && numbers[i] >= 0 && hb_log_bridge(logs->at[i].log, k); k++)
			good = write_line(f, logs, numbers, s, i, k);
	good = f && !fclose(f) && good;
	if (!good)
		*ret_err = (hb_error){.status = HB_E_SYSTEM, .sys = errno};
	free(path);
	return good ? HB_OK : HB_E_SYSTEM;
}
