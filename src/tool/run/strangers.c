/* Logs that are not of the run that the others are of: copied from another recording, or renamed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../store/find.h"
#include "../store/manifest.h"
#include "run.h"

/* On one host nothing starts before hbdb did; the manifest tells milliseconds. */
#define SLACK_NS 5000000
/* The seconds of a run count from the start of its command, its begin from before that: the program is read in between. */
#define LATE_NS 2000000000

/* More processes than any run has: a damaged header. */
#define SIZE_MAX_SANE (1 << 20)

struct agreed {
	int32_t size;
	uint32_t level, library;
	int64_t from_ns, to_ns; /* when processes started, by the clock of the host of hbdb; to_ns 0: not known */
};

/* The value that most logs have; among equals the first. */
static uint32_t most(const hb_logs *logs, uint32_t (*value)(const hb_log_file *file))
{
	uint32_t best = 0;
	size_t best_n = 0;
	for (size_t i = 0; i < logs->n && best_n <= logs->n / 2; i++) {
		size_t n = 0;
		if (!logs->at[i].log || logs->at[i].world)
			continue;
		for (size_t k = i; k < logs->n; k++)
			n += logs->at[k].log && !logs->at[k].world && value(&logs->at[k]) == value(&logs->at[i]);
		if (n > best_n) {
			best_n = n;
			best = value(&logs->at[i]);
		}
	}
	return best;
}

static uint32_t size_of(const hb_log_file *f) { return (uint32_t)hb_log_get_info(f->log)->size; }
static uint32_t level_of(const hb_log_file *f) { return hb_log_get_info(f->log)->level; }
static uint32_t library_of(const hb_log_file *f) { return hb_log_get_info(f->log)->library; }

/* What the manifest says goes before what most logs say. */
static void ask_manifest(const char *recording, struct agreed *a, bool *ret_ended)
{
	char *path = hb__format("%s/manifest.json", recording);
	bool there = !access(path, R_OK);
	hb_manifest m = {0};
	*ret_ended = true;
	struct tm utc = {0};
	double seconds;
	free(path);
	if (!there || hb__manifest_read(recording, &m)) {
		hb__manifest_free(&m);
		return;
	}
	*ret_ended = m.finished && !m.open;
	static const char *const levels[] = {"order", "events", "racing"}, *const libraries[] = {
										   "", "openmpi", "mpich"};
	for (uint32_t i = 0; i < 3; i++) {
		if (m.level && !strcmp(m.level, levels[i]))
			a->level = i;
		if (m.mpi && i && !strcmp(m.mpi, libraries[i]))
			a->library = i;
	}
	if (m.started &&
		sscanf(m.started, "%d-%d-%dT%d:%d:%lfZ", &utc.tm_year, &utc.tm_mon, &utc.tm_mday, &utc.tm_hour,
			&utc.tm_min, &seconds) == 6 &&
		seconds >= 0 && seconds < 61) {
		utc.tm_year -= 1900;
		utc.tm_mon--;
		a->from_ns = (int64_t)timegm(&utc) * 1000000000 + (int64_t)(seconds * 1e9);
		if (m.finished && !m.open && m.seconds >= 0 && m.seconds < 1e9)
			a->to_ns = a->from_ns + (int64_t)(m.seconds * 1e9);
	}
	hb__manifest_free(&m);
}

/* Nanoseconds by which the log began outside the time of the run; negative: before it. */
static int64_t outside(const struct agreed *a, const hb_log_info *info)
{
	int64_t at = (int64_t)info->origin_real;
	if (a->from_ns && at < a->from_ns - SLACK_NS)
		return at - a->from_ns;
	return a->to_ns && at > a->to_ns + LATE_NS ? at - a->to_ns : 0;
}

/* A host has one clock: where another log of it lies within the time of the run, this one is of another run. */
static bool same_host_inside(const hb_logs *logs, const struct agreed *a, const hb_log_info *info)
{
	for (size_t i = 0; i < logs->n; i++) {
		const hb_log_info *other = logs->at[i].log ? hb_log_get_info(logs->at[i].log) : NULL;
		if (other && !outside(a, other) && !strcmp(other->host, info->host))
			return true;
	}
	return false;
}

/* Why the log is not of this run; NULL: it is. */
static char *stranger(const hb_logs *logs, size_t i, const struct agreed *a)
{
	static const char *const levels[] = {"order", "events", "racing"}, *const libraries[] = {
										   "?", "Open MPI", "MPICH"};
	const hb_log_file *f = &logs->at[i];
	const hb_log_info *info = hb_log_get_info(f->log);
	int64_t late = outside(a, info);
	if (!f->world && info->rank != f->rank)
		return hb__format("it is the log of rank %d", info->rank);
	if (!f->world && (info->rank >= info->size || info->size > SIZE_MAX_SANE))
		return hb__format("it says that it is rank %d of %d", info->rank, info->size);
	if (!f->world && info->size != a->size)
		return hb__format(
			"it belongs to a run of %d processes, the other logs to a run of %d", info->size, a->size);
	if (info->level != a->level && info->level < 3 && a->level < 3)
		return hb__format(
			"it was recorded at level %s, but the run at level %s", levels[info->level], levels[a->level]);
	/* 0: a process without MPI */
	if (info->library != a->library && info->library && a->library && info->library < 3 && a->library < 3)
		return hb__format("it was recorded under %s, but the run was under %s", libraries[info->library],
			libraries[a->library]);
	for (size_t k = 0; k < i; k++)
		if (logs->at[k].log && logs->at[k].rank == f->rank && logs->at[k].world == f->world)
			return hb__format("%s exists as well", hb__short(logs->at[k].path));
	if (late && same_host_inside(logs, a, info))
		return hb__format("its process began %.3f s %s", (double)(late < 0 ? -late : late) * 1e-9,
			late < 0 ? "before this run" : "after this run had ended");
	return NULL;
}

/* Clocks of hosts differ by this as a rule. */
#define SKEW_NS 60000000000

static bool far_off(const struct agreed *a, const hb_log_info *info)
{
	int64_t late = outside(a, info);
	return late > SKEW_NS || late < -SKEW_NS;
}

/* Only told, once for each host: nothing but `hbdb dump --time` looks at clocks. */
static void tell_clocks(const hb_logs *logs, const struct agreed *a)
{
	for (size_t i = 0; i < logs->n; i++) {
		const hb_log_info *info = logs->at[i].log ? hb_log_get_info(logs->at[i].log) : NULL;
		int64_t late = info && far_off(a, info) ? outside(a, info) : 0;
		bool told = false;
		for (size_t k = 0; late && k < i && !told; k++) {
			const hb_log_info *other = logs->at[k].log ? hb_log_get_info(logs->at[k].log) : NULL;
			told = other && far_off(a, other) && !strcmp(other->host, info->host);
		}
		if (late && !told)
			hb__say("by the clock of host %s, rank %d began %.3f s %s: either the clocks of the machines differ, or the log belongs to another run",
				info->host, logs->at[i].rank, (double)(late < 0 ? -late : late) * 1e-9,
				late < 0 ? "before this run" : "after this run had ended");
	}
}

size_t hb__check_run(const char *recording, hb_logs *logs, bool *ret_ended)
{
	struct agreed a = {
		.size = (int32_t)most(logs, size_of), .level = most(logs, level_of), .library = most(logs, library_of)};
	size_t dropped = 0;
	ask_manifest(recording, &a, ret_ended);
	char **why = hb__alloc(logs->n * sizeof *why);
	for (size_t i = 0; i < logs->n; i++)
		why[i] = logs->at[i].log ? stranger(logs, i, &a) : NULL;
	for (size_t i = 0; i < logs->n; i++) {
		hb_log_file *f = &logs->at[i];
		if (!why[i])
			continue;
		hb__say("%s does not belong to this run: %s; it is ignored", hb__short(f->path), why[i]);
		hb_log_close(f->log);
		f->log = NULL;
		free(why[i]);
		dropped++;
	}
	free(why);
	tell_clocks(logs, &a);
	return dropped;
}

size_t hb__drop_strangers(const char *recording, hb_logs *logs)
{
	bool ended;
	return hb__check_run(recording, logs, &ended);
}
