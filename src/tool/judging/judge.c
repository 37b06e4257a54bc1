/* What `hbdb check` was asked, and what it says once the rules were run. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../store/find.h"
#include "../terminal.h"
#include "judge.h"

const hb_option hb__check_options[] = {
	{"severity", 0, HB_OPTION_CHOICE, "error|warning|note",
		"show findings of this severity and above; default: note"},
	{"only", 0, HB_OPTION_TEXT, "ID[,ID...]", "show only findings whose identifiers begin with ID"},
	{"category", 0, HB_OPTION_CHOICE, "deadlock|messages|collectives|lifecycle|onesided|arguments|model",
		"show only findings of this category"},
	{"model", 0, HB_OPTION_TEXT, "FILE", "check the run against this model of a correct one, too"},
	{"set", 0, HB_OPTION_EACH, "NAME=NUMBER", "a parameter of the model; may be given several times"},
	{"suppress", 0, HB_OPTION_TEXT, "FILE", "a file of suppressions, in addition to .hbdb-suppressions"},
	{"generate-suppressions", 0, HB_OPTION_FLAG, NULL, "print a suppression for each finding"},
	{"json", 0, HB_OPTION_FLAG, NULL,
		"print one JSON object per line, one for each finding and a last one for the whole run"},
	{"sarif", 0, HB_OPTION_TEXT, "FILE", "write the findings as SARIF, - for standard output"},
	{"junit", 0, HB_OPTION_TEXT, "FILE", "write the findings as JUnit XML, - for standard output"},
	{"leaks", 0, HB_OPTION_FLAG, NULL,
		"report communicators, datatypes, windows and other objects that are never freed as warnings instead of notes"},
	{"fail-on", 0, HB_OPTION_CHOICE, "error|warning|never",
		"the least severe finding that makes the check fail; default: warning"},
	{"error-exit", 0, HB_OPTION_NUMBER, "CODE", "the exit status of a check that fails; default: 1"},
	{"output", 'o', HB_OPTION_RECORDING, "NAME.hbdb", "with a COMMAND: the recording to write"},
	{"mpi", 0, HB_OPTION_CHOICE, "auto|openmpi|mpich", "with a COMMAND: its MPI library; default: found"},
	{"watch", 0, HB_OPTION_NUMBER, "SECONDS",
		"with a COMMAND: after SECONDS without progress the job is called hung, even without proof; 0: never; default: 10"},
	{"verbose", 'v', HB_OPTION_FLAG, NULL, "also list the suppressions that were not needed"},
	{0},
};

bool hb__check_for_machines(const hb_args *args)
{
	const char *sarif = hb__option_value(args, "sarif"), *junit = hb__option_value(args, "junit");
	return hb__option_value(args, "json") || (sarif && !strcmp(sarif, "-")) || (junit && !strcmp(junit, "-"));
}

unsigned hb__check_flags(const hb_args *args) { return hb__option_value(args, "leaks") ? HB_CHECK_LEAKS : 0U; }

hb_model_wish hb__check_model(const hb_args *args)
{
	return (hb_model_wish){hb__option_value(args, "model"), hb__option_value(args, "set")};
}

int hb__check_asked(const hb_args *args, hb_quiets **ret_quiets)
{
	hb_model_wish model = hb__check_model(args);
	int code = hb__option_value(args, "only") ? hb__check_only(hb__option_value(args, "only")) : 0;
	code = code ? code : hb__model_check_wish(&model);
	code = code ? code : hb__quiets_read(ret_quiets, NULL);
	const char *more = hb__option_value(args, "suppress");
	return !code && more ? hb__quiets_read(ret_quiets, more) : code;
}

static int write_files(hb_findings *f, const hb_args *args, const hb_judged *job)
{
	const char *sarif = hb__option_value(args, "sarif"), *junit = hb__option_value(args, "junit");
	int code = sarif ? hb__findings_sarif(f, sarif, job->status) : 0;
	int other = junit ? hb__findings_junit(f, junit, job->seconds) : 0;
	return code ? code : other;
}

static void print(hb_findings *f, const hb_args *args, hb_quiets *quiets, const hb_judged *job)
{
	bool machines = hb__check_for_machines(args);
	if (hb__option_value(args, "json"))
		hb__findings_json(f, 1, job->status);
	else if (!machines) {
		if (!args->rest)
			hb__page();
		hb__findings_text(f, stdout, hb__colour(1));
		char *unseen = hb__findings_unseen(f);
		if (unseen)
			hb__say("%s", unseen);
		free(unseen);
	}
	fflush(stdout);
	if (hb__option_value(args, "generate-suppressions"))
		hb__quiets_generate(f, machines ? stderr : stdout);
	if (hb__option_value(args, "verbose"))
		hb__quiets_say_unused(quiets);
}

/* The last severity that makes the check fail. */
static int failing(const hb_args *args)
{
	const char *on = hb__option_value(args, "fail-on");
	if (on && !strcmp(on, "never"))
		return -1;
	return on && !strcmp(on, "error") ? HB_SEVERITY_ERROR : HB_SEVERITY_WARNING;
}

static bool fails(const hb_findings *f, const hb_judged *job)
{
	uint64_t n = 0;
	for (int i = 0; i <= f->failing; i++)
		n += f->count[i];
	/* of a command that was run here its own status says it */
	bool died = f->died && job->status <= 0;
	return n || ((f->hanging || died) && f->failing >= 0);
}

int hb__check_judge(hb_findings *f, const hb_args *args, hb_quiets *quiets, const hb_judged *job)
{
	hb_wanted wanted = {
		hb__option_value(args, "severity"), hb__option_value(args, "only"), hb__option_value(args, "category")};
	f->failing = failing(args);
	f->name = args->operand;
	if (!job->ended)
		hb__findings_died(f);
	hb__quiets_apply(quiets, f);
	hb__findings_choose(f, &wanted);
	print(f, args, quiets, job);
	int code = write_files(f, args, job);
	if (f->ending)
		hb__say("%s", f->ending);
	if (job->recording)
		hb__say("recording %s", hb__short(job->recording));
	if (!code && fails(f, job))
		code = (int)hb__option_number(args, "error-exit", HB_EXIT_FINDING);
	return code;
}
