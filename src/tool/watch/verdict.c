/* Live logs as a run, and what the rules say of it: why it hangs, and erroneous arguments, which are told while the job runs, for a
 * library may spin for ever over one, and the end of the job would not come. */
#include <stdlib.h>

#include "base/clock.h"
#include "../findings/findings.h"
#include "../show/inert.h"
#include "watch.h"

void hb__live_run(const char *recording, hb_run *ret)
{
	bool any = false;
	hb_error err = {0};
	*ret = (hb_run){.path = hb__copy(recording)};
	if (hb__list_logs(recording, &ret->logs))
		return;
	for (size_t i = 0; i < ret->logs.n; i++) {
		hb_log_file *f = &ret->logs.at[i];
		if (hb_log_open(f->path, &f->log, NULL))
			f->log = NULL;
		/* the model takes no other */
		if (f->log && hb_log_get_info(f->log)->level != HB_LEVEL_EVENTS) {
			hb_log_close(f->log);
			f->log = NULL;
		}
		any |= f->log != NULL;
	}
	if (!any)
		return;
	hb__name_worlds(&ret->logs);
	ret->views = hb__make_views(&ret->logs);
	hb__match_run(ret, NULL, NULL, &err);
}

bool hb__is_now(const hb_process *p, const hb_process_now *now)
{
	return p->rank == now->rank && p->log && hb_log_get_info(p->log)->pid == now->pid;
}

void hb__tell_asleep(hb_run *run, const hb_lanes *l)
{
	const hb_process *process = run->model ? hb_model_processes(run->model) : NULL;
	for (size_t i = 0; process && i < l->n; i++) {
		const hb_process_now *now = &l->at[i];
		for (uint32_t p = 0; p < hb_model_get_info(run->model)->processes; p++) {
			if (!hb__is_now(&process[p], now))
				continue;
			for (size_t k = 0; k < now->nlanes; k++) {
				const hb_lane_now *lane = &now->lane[k];
				uint32_t line = process[p].first_line + lane->is.lane;
				if (!lane->asleep || lane->is.lane >= process[p].nlines ||
					hb_model_lines(run->model)[line].events != lane->is.events)
					continue;
				bool joins = lane->joins != HB_NO && lane->joins < process[p].nlines;
				hb_model_asleep(run->model, line, joins ? process[p].first_line + lane->joins : HB_NO);
			}
		}
	}
}

hb_stuck hb__ask_deadlock(const hb_lanes *l)
{
	hb_run run;
	hb_stuck stuck = HB_STUCK_UNKNOWN;
	hb__live_run(l->recording, &run);
	hb__tell_asleep(&run, l);
	if (run.model && hb_deadlocked(run.model, &stuck, NULL))
		stuck = HB_STUCK_UNKNOWN;
	hb__close_run(&run);
	return stuck;
}

void hb__put_verdict(hb_watch *w, FILE *to)
{
	hb_run run;
	hb_findings found = {0};
	hb__live_run(w->lanes.recording, &run);
	if (!run.model) {
		hb__close_run(&run);
		return;
	}
	hb__tell_asleep(&run, &w->lanes);
	double still = hb_seconds() - w->lanes.moved;
	hb__say("no process has made progress for %.1f s%s", still,
		w->stuck == HB_STUCK_ALL    ? ", and none can"
		: w->stuck == HB_STUCK_SOME ? ", and some processes wait for something that can never happen"
					    : "");
	if (!hb__findings_read(&run, HB_CHECK_HANGING | HB_CHECK_DEADLOCK_ONLY, w->model, &found)) {
		const hb_wanted all = {"warning", NULL, NULL};
		found.name = w->name;
		hb__findings_choose(&found, &all);
		for (size_t i = 0; i < found.n; i++)
			if (hb__is_shown(&found.at[i]))
				hb__finding_text(&found, &found.at[i], to, hb__colour(to == stdout ? 1 : 2));
		hb__model_text(&found, to);
	}
	hb__findings_free(&found);
	fprintf(to, "what each process does:\n");
	hb__put_doing(&run, &w->lanes, to);
	fflush(to);
	hb__close_run(&run);
}

/* ---- erroneous arguments, and what a model does not allow ---- */

#define WAIT_S 1.0 /* a job that is over by then is told of as a whole */
#define SHARE 30   /* reading the logs takes at most one part in so many of the time */

/* What can make something to tell: remarks; with a model, every event. */
static uint64_t seen(const hb_watch *w)
{
	const hb_lanes *l = &w->lanes;
	uint64_t n = 0;
	for (size_t i = 0; i < l->n; i++)
		for (size_t k = 0; k < l->at[i].nlanes; k++)
			n += l->at[i].lane[k].is.faults + (w->model ? l->at[i].lane[k].is.events : 0);
	return n;
}

static bool anybody_lives(const hb_lanes *l)
{
	for (size_t i = 0; i < l->n; i++)
		if (!hb__is_over(&l->at[i]))
			return true;
	return false;
}

/* Whether it is told for the first time. */
static bool first(struct hb_faults *f, uint64_t print)
{
	for (size_t i = 0; i < f->n; i++)
		if (f->print[i] == print)
			return false;
	f->print = hb__resize(f->print, (f->n + 1) * sizeof *f->print);
	f->print[f->n++] = print;
	return true;
}

static void tell(const hb_told_finding *s)
{
	const char *place = s->nspots && s->spot[0].place ? s->spot[0].place->text : NULL;
	char *also = NULL;
	if (s->nalso) {
		char *others = hb__called_text(s->also, s->nalso);
		also = hb__format("; the same in %s", others);
		free(others);
	}
	hb__say("%s %s, seen while the job runs: %s%s%s%s%s; 'hbdb help %s' explains it",
		hb__severity_names[s->severity], s->kind->id, hb__tame(s->sentence), place ? " (" : "",
		place ? place : "", place ? ")" : "", also ? also : "", s->kind->id);
	free(also);
}

static void ask(hb_watch *w)
{
	hb_run run;
	hb_findings found = {0};
	hb__live_run(w->lanes.recording, &run);
	int code = run.model ? hb__findings_read(&run, HB_CHECK_ARGUMENTS_ONLY, w->model, &found) : HB_EXIT_FINDING;
	if (run.model && code)
		w->model = NULL; /* it does not fit this program, which was said: once is enough */
	if (!code) {
		const hb_wanted errors = {"error", NULL, NULL};
		if (w->quiets)
			hb__quiets_apply(w->quiets, &found);
		hb__findings_choose(&found, &errors);
		for (size_t i = 0; i < found.n; i++)
			if (hb__is_shown(&found.at[i]) && first(&w->faults, found.at[i].print))
				tell(&found.at[i]);
	}
	if (run.model)
		hb__findings_free(&found);
	hb__close_run(&run);
}

void hb__tell_faults(hb_watch *w)
{
	struct hb_faults *f = &w->faults;
	double now = hb_seconds();
	f->seen = seen(w);
	if (f->seen == f->told)
		return;
	if (!f->since)
		f->since = now;
	if (now - f->since < WAIT_S || now - f->asked < f->cost * SHARE || !anybody_lives(&w->lanes))
		return;
	f->told = f->seen;
	f->since = 0;
	ask(w);
	f->asked = hb_seconds();
	f->cost = f->asked - now;
}
