/* hbdb check, by several processes: each has the whole model, and runs some of the rules; the first prints what all have found. */
#include <signal.h>
#include <stdlib.h>

#include "../judging/judge.h"
#include "../store/find.h"
#include "together.h"

struct checked {
	hb_run run;
	hb_findings found;
	hb_quiets *quiets;
};

static int match(hb_run *run)
{
	hb_error err = {0};
	hb_status status = hb__match_run(run, NULL, NULL, &err);
	if (status == HB_E_MEMORY)
		hb__team_abort(hb__fail_log(run->path, &err));
	return status ? hb__fail_log(run->path, &err) : hb__matched_run(run);
}

static int judge(struct checked *k, const hb_args *args)
{
	return hb__check_judge(&k->found, args, k->quiets, &(hb_judged){.status = -1});
}

/* What the rules made of the order of events is for one process to look at. */
static int judge_alone(struct checked *k, const hb_args *args, const hb_team *team, const char *why)
{
	hb_model_wish model = hb__check_model(args);
	hb__findings_free(&k->found);
	int code = hb__go_alone(&k->run, team, why);
	if (!k->run.model)
		return code;
	int failed = hb__findings_read(&k->run, hb__check_flags(args), &model, &k->found);
	return failed ? failed : judge(k, args);
}

static int look(struct checked *k, const hb_args *args, const hb_team *team)
{
	hb_error err = {0};
	int code = 0;
	hb_model_wish model = hb__check_model(args); /* all read it, and find the same fault with it */
	hb_findings *f = &k->found;
	hb_status status = hb__findings_look(&k->run, team, hb__check_flags(args), &model, f, &code, &err);
	if (status == HB_E_MEMORY)
		hb__team_abort(hb__fail_log(k->run.path, &err));
	if (status == HB_E_ARGUMENT)
		return judge_alone(k, args, team, err.message);
	if (status)
		return hb__fail_log(k->run.path, &err);
	return code || team->rank ? code : judge(k, args);
}

int hb__check_together(const hb_args *args, const hb_team *team)
{
	struct checked k = {0};
	char *recording = NULL;
	signal(SIGPIPE, SIG_IGN);
	if (args->rest)
		return hb__fail_with(
			HB_EXIT_USAGE, "hbdb-mpi check takes a recording, not a command; hbdb check runs one");
	int code = hb__check_asked(args, &k.quiets);
	code = hb__find_together(code, args->operand, team, &recording);
	if (!code) {
		int missing = hb__begin_together(recording, team, &k.run);
		int matched = k.run.views ? match(&k.run) : 0;
		missing = matched ? matched : missing;
		code = k.run.model ? look(&k, args, team) : missing;
		code = code ? code : missing;
	}
	hb__findings_free(&k.found);
	hb__close_run(&k.run);
	hb__quiets_free(k.quiets);
	free(recording);
	return code;
}
