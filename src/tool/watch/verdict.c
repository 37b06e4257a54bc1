/* Live logs as a run, and what the rules say of it. */
#include <stdlib.h>

#include "../findings/findings.h"
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
		if (f->log && hb_log_get_info(f->log)->level != 1) {
			hb_log_close(f->log);
			f->log = NULL;
		}
		any |= f->log != NULL;
	}
	if (!any)
		return;
	ret->views = hb__make_views(&ret->logs);
	hb__match_run(ret, NULL, NULL, &err);
}

void hb__tell_asleep(hb_run *run, const hb_lanes *l)
{
	const hb_process *process = run->model ? hb_model_processes(run->model) : NULL;
	for (size_t i = 0; process && i < l->n; i++) {
		const hb_process_now *now = &l->at[i];
		for (uint32_t p = 0; p < hb_model_get_info(run->model)->processes; p++) {
			if (process[p].rank != now->rank || (process[p].pid && process[p].pid != now->pid))
				continue;
			for (size_t k = 0; k < now->nlanes; k++) {
				const hb_lane_now *lane = &now->lane[k];
				uint32_t line = process[p].first_line + lane->lane;
				if (!lane->asleep || lane->lane >= process[p].nlines ||
					hb_model_lines(run->model)[line].events != lane->events)
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
	double still = hb__seconds() - w->lanes.moved;
	hb__say("nothing has moved for %.1f s%s", still,
		w->stuck == HB_STUCK_ALL    ? ", and nothing will"
		: w->stuck == HB_STUCK_SOME ? ", and some processes wait for what never comes"
					    : "");
	if (!hb__findings_read(&run, HB_CHECK_HANGING | HB_CHECK_DEADLOCK_ONLY, &found)) {
		const hb_wanted all = {"warning", NULL, NULL};
		hb__findings_choose(&found, &all);
		for (size_t i = 0; i < found.n; i++)
			if (hb__is_shown(&found.at[i]))
				hb__finding_text(&found, &found.at[i], to, hb__colour(to == stdout ? 1 : 2));
	}
	hb__findings_free(&found);
	fprintf(to, "what each process does:\n");
	hb__put_doing(&run, &w->lanes, to);
	fflush(to);
	hb__close_run(&run);
}
