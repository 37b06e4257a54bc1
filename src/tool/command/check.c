/* hbdb check */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "../options.h"
#include "../run/events.h"
#include "../show/progress.h"
#include "../store/find.h"
#include "rules/finding.h"

const hb_option hb__check_options[] = {
	{"json", 0, HB_OPTION_FLAG, NULL, "one JSON object per line, for each finding"},
	{0},
};

struct check {
	hb_run run;
	hb_facts *facts;
	uint64_t found[3]; /* by severity */
};

static const char *const severity[] = {"error", "warning", "note"};

static void print_point(struct check *k, const hb_point *p)
{
	char name[HB_EVENT_NAME] = "";
	hb_fact fact = {0};
	const char *function = p->function;
	uint32_t site = p->site;
	const hb_process *process = &hb_model_processes(k->run.model)[p->process];
	if (p->at.line != HB_NO && hb__fact(k->facts, p->at, &fact)) {
		hb__event_name(&k->run, p->at, name);
		site = site ? site : fact.site;
		const hb_function *f = hb_log_function(process->log, fact.function);
		function = *function || !f ? function : f->name;
	}
	const hb_place *place = hb__process_place(&k->run, p->process, site);
	printf("  rank %d  %-8s %s  %s%s%s\n", process->rank, name, function, place ? place->text : "?",
		*p->role ? ": " : "", p->role);
}

static bool print(void *user, const hb_finding *f)
{
	struct check *k = user;
	const hb_finding_kind *kind = &hb_finding_kinds[f->id];
	k->found[kind->severity]++;
	printf("%s %s%s: %s\n", severity[kind->severity], kind->id, f->possible ? " (possible)" : "", f->sentence);
	for (uint32_t i = 0; i < f->npoints; i++)
		print_point(k, &f->point[i]);
	if (f->times > 1)
		printf("  %llu times\n", (unsigned long long)f->times);
	if (f->advice)
		printf("  %s\n", f->advice);
	return true;
}

int hb__check(const hb_args *args)
{
	struct check k = {0};
	char *recording = NULL;
	hb_error err = {0};
	signal(SIGPIPE, SIG_IGN);
	int code = hb__find_recording(args->operand, &recording);
	if (!code)
		code = hb__open_run(recording, &k.run);
	if (k.run.model) {
		k.facts = hb__facts_open(k.run.model);
		hb_bar bar;
		hb__bar_begin(&bar, "checking");
		hb_status status = hb_check(k.run.model, 0, print, &k, hb__bar_step, &bar, &err);
		hb__bar_end(&bar);
		if (status)
			code = hb__fail_log(k.run.path, &err);
		else if (k.found[0] + k.found[1])
			code = HB_EXIT_FINDING;
		hb__facts_close(k.facts);
	}
	hb__close_run(&k.run);
	free(recording);
	return code;
}
