/* Opening a recording to be analysed. */
#include <stdlib.h>
#include <unistd.h>

#include "../show/inert.h"
#include "../show/progress.h"
#include "../store/clocks/clocks.h"
#include "../store/find.h"
#include "../store/manifest.h"
#include "run.h"

#define TOLD_MAX 12 /* lines of troubles; the rest is counted */

hb_view *hb__make_views(const hb_logs *logs)
{
	uint64_t first = UINT64_MAX;
	hb_view *views = hb__alloc(logs->n * sizeof *views);
	/* clocks of other hosts are compared by the time of day */
	for (size_t i = 0; i < logs->n; i++)
		if (logs->at[i].log && hb_log_get_info(logs->at[i].log)->origin_real < first)
			first = hb_log_get_info(logs->at[i].log)->origin_real;
	for (size_t i = 0; i < logs->n; i++) {
		hb_view *v = &views[i];
		if (!logs->at[i].log)
			continue;
		v->log = logs->at[i].log;
		v->info = hb_log_get_info(v->log);
		v->world = logs->at[i].world;
		v->name = logs->worlds.name ? logs->worlds.name[i] : "?"; /* there was no memory */
		v->outside = logs->worlds.name && logs->worlds.world[logs->worlds.of[i]].outside;
		v->shift_ns = (int64_t)(v->info->origin_real - first);
		v->colour = hb__colour(1);
		v->nplaces = v->info->sites;
		v->places = hb__alloc(((size_t)v->nplaces + 1) * sizeof *v->places);
	}
	return views;
}

void hb__free_views(hb_view *views, size_t n)
{
	for (size_t i = 0; views && i < n; i++)
		free(views[i].places);
	free(views);
}

/* Like hb__open_logs, but for what the model will say of logs that end early. */
static int open_logs(hb_run *run)
{
	size_t open = 0;
	int code = hb__list_logs(run->path, &run->logs);
	for (size_t i = 0; i < run->logs.n; i++) {
		hb_error err = {0};
		if (hb_log_open(run->logs.at[i].path, &run->logs.at[i].log, &err)) {
			run->logs.at[i].log = NULL;
			code = hb__fail_log(run->logs.at[i].path, &err);
		} else
			open++;
	}
	hb__clocks_apply(run->path, &run->logs);
	hb__name_worlds(&run->logs);
	if (!code && !run->logs.n)
		code = hb__fail_empty(run->path);
	return open ? 0 : code;
}

/* The model would refuse, but cannot say what to do about it. */
static int check_level(const hb_run *run)
{
	for (size_t i = 0; i < run->logs.n; i++) {
		const hb_log *log = run->logs.at[i].log;
		if (!log || hb_log_get_info(log)->level == HB_LEVEL_EVENTS)
			continue;
		return hb__fail_with(HB_EXIT_USAGE,
			"%s was recorded at level %s: it contains what a replay needs, but not who sent what; record the run at level events, the default",
			hb__short(run->path), hb_log_get_info(log)->level == HB_LEVEL_ORDER ? "order" : "racing");
	}
	return 0;
}

void hb__say_troubles(hb_run *run)
{
	uint32_t n = hb_model_get_info(run->model)->troubles, first = run->told;
	for (; run->told < n && run->told - first < TOLD_MAX; run->told++)
		hb__say("%s", hb_model_trouble(run->model, run->told));
	if (run->told < n)
		hb__say("and %u more of these", n - run->told);
	run->told = n;
}

bool hb__has_ranks(const hb_run *run)
{
	const hb_process *p = hb_model_processes(run->model);
	for (uint32_t i = 0; i < hb_model_get_info(run->model)->processes; i++)
		if (*hb_rank_word(p[i].name))
			return true;
	return false;
}

hb_status hb__match_run(hb_run *run, hb_progress *progress, void *user, hb_error *err)
{
	size_t n;
	free(run->log_of);
	hb_source *sources = hb__make_sources(&run->logs, &n, &run->log_of);
	hb_status status = run->team ? hb_model_build_part(sources, n, run->team, &run->model, err)
				     : hb_model_build(sources, n, progress, user, &run->model, err);
	free(sources);
	if (status)
		run->model = NULL;
	return status;
}

int hb__matched_run(hb_run *run)
{
	hb__say_troubles(run);
	const hb_process *processes = hb_model_processes(run->model);
	for (size_t i = 0; i < hb_model_get_info(run->model)->processes; i++)
		if (!processes[i].log || processes[i].cut)
			return HB_EXIT_RECORDING;
	return 0;
}

static int build(hb_run *run)
{
	hb_error err = {0};
	hb_bar bar;
	hb__bar_begin(&bar, "matching messages");
	hb_status status = hb__match_run(run, hb__bar_step, &bar, &err);
	hb__bar_end(&bar);
	if (status)
		return hb__fail_log(run->path, &err);
	return hb__matched_run(run);
}

static bool any_open(const hb_logs *logs)
{
	for (size_t i = 0; i < logs->n; i++)
		if (logs->at[i].log)
			return true;
	return false;
}

int hb__begin_run(const char *recording, hb_run *ret)
{
	*ret = (hb_run){.path = hb__copy(recording)};
	int code = open_logs(ret);
	if (code)
		return code;
	size_t dropped = hb__check_run(recording, &ret->logs, &ret->ended);
	if (!ret->ended)
		hb__say("%s: the run has not ended, or hbdb was killed: anything later, and messages not received yet, are not known",
			hb__short(recording));
	hb_away how;
	ret->away = hb__away(recording, &how);
	if (ret->away)
		hb__say("%s: what was recorded on %s is missing: %s", hb__short(recording), hb__tame(ret->away),
			how == HB_AWAY_UNKEPT ? "it was not kept there" : "hbdb record --fetch fetches it");
	if (dropped && !any_open(&ret->logs))
		return HB_EXIT_RECORDING;
	code = check_level(ret);
	if (code)
		return code;
	ret->views = hb__make_views(&ret->logs);
	return dropped || ret->away ? HB_EXIT_RECORDING : 0;
}

int hb__open_run(const char *recording, hb_run *ret)
{
	int begun = hb__begin_run(recording, ret), code = ret->views ? build(ret) : begun;
	return code ? code : begun;
}

/* Takes `list`. */
static char *with(char *list, char *clause)
{
	char *longer = list ? hb__format("%s; %s", list, clause) : hb__copy(clause);
	free(list);
	free(clause);
	return longer;
}

char *hb__missing_text(const hb_run *run)
{
	const hb_process *p = hb_model_processes(run->model);
	uint64_t without = 0, cut = 0, rings = 0, before = 0;
	char *text = NULL;
	for (size_t i = 0; i < hb_model_get_info(run->model)->processes; i++) {
		const hb_before *b = p[i].log ? hb_log_before(p[i].log) : NULL;
		without += !p[i].log;
		cut += p[i].log && p[i].cut;
		rings += b != NULL;
		before += b ? b->events : 0;
	}
	if (run->away)
		text = with(text, hb__format("what was recorded on %s", run->away));
	if (without)
		text = with(text, hb__format("%llu %s without a log", (unsigned long long)without,
					  hb__plural(without, "process", "processes")));
	if (cut)
		text = with(text,
			hb__format("what %llu %s did behind the end of %s", (unsigned long long)cut,
				hb__plural(cut, "process", "processes"), hb__plural(cut, "its log", "their logs")));
	if (rings)
		text = with(text,
			hb__format("%llu earlier events of %llu %s, which were given up", (unsigned long long)before,
				(unsigned long long)rings, hb__plural(rings, "process", "processes")));
	return text;
}

bool hb__is_whole(const hb_run *run)
{
	char *missing = hb__missing_text(run);
	bool whole = run->ended && !missing;
	free(missing);
	return whole;
}

void hb__close_run(hb_run *run)
{
	free(run->away);
	hb_model_close(run->model);
	hb__free_views(run->views, run->logs.n);
	hb__close_logs(&run->logs);
	free(run->log_of);
	free(run->path);
	*run = (hb_run){0};
}
