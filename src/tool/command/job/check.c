/* hbdb check */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../findings/findings.h"
#include "../../making/make.h"
#include "../../options.h"
#include "../../store/find.h"
#include "../../store/manifest.h"
#include "../../terminal.h"
#include "../../watch/watch.h"

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

struct check {
	const hb_args *args;
	hb_run run;
	hb_findings found;
	hb_quiets *quiets;
	char *recording;
	hb_made made;
	hb_watch watch;
	bool hung;
};

static bool for_machines(const hb_args *args)
{
	const char *sarif = hb__option_value(args, "sarif"), *junit = hb__option_value(args, "junit");
	return hb__option_value(args, "json") || (sarif && !strcmp(sarif, "-")) || (junit && !strcmp(junit, "-"));
}

/* Runs the command: what it prints passes through, beside what a program will read. */
static int record(struct check *k)
{
	const hb_args *args = k->args;
	k->watch = (hb_watch){.patience = (double)hb__option_number(args, "watch", HB_WATCH_PATIENCE),
		.then = HB_ON_HANG_KILL,
		.quiet = true,
		.quiets = k->quiets};
	hb_making making = {.argv = args->rest,
		.output = hb__option_value(args, "output"),
		.mpi = hb__option_value(args, "mpi"),
		.contents = true,
		.remarks = true,
		.quiet = true,
		.out = for_machines(args) ? 2 : 0,
		.watch = hb__watch,
		.user = &k->watch};
	int code = hb__make(&making, &k->made);
	k->hung = k->watch.ever;
	k->recording = k->made.recording;
	if (!code && !k->recording)
		return k->made.end.status ? k->made.end.status : HB_EXIT_RECORDING;
	return code;
}

static int write_files(struct check *k)
{
	const char *sarif = hb__option_value(k->args, "sarif"), *junit = hb__option_value(k->args, "junit");
	int status = k->args->rest ? k->made.end.status : -1;
	int code = sarif ? hb__findings_sarif(&k->found, sarif, status) : 0;
	int other = junit ? hb__findings_junit(&k->found, junit, k->made.end.seconds) : 0;
	return code ? code : other;
}

static void print(struct check *k)
{
	const hb_args *args = k->args;
	if (hb__option_value(args, "json"))
		hb__findings_json(&k->found, 1, args->rest ? k->made.end.status : -1);
	else if (!for_machines(args)) {
		if (!args->rest)
			hb__page();
		hb__findings_text(&k->found, stdout, hb__colour(1));
		char *unseen = hb__findings_unseen(&k->found);
		if (unseen)
			hb__say("%s", unseen);
		free(unseen);
	}
	fflush(stdout);
	if (hb__option_value(args, "generate-suppressions"))
		hb__quiets_generate(&k->found, for_machines(args) ? stderr : stdout);
	if (hb__option_value(args, "verbose"))
		hb__quiets_say_unused(k->quiets);
}

/* The last severity that makes the check fail. */
static int failing(const hb_args *args)
{
	const char *on = hb__option_value(args, "fail-on");
	if (on && !strcmp(on, "never"))
		return -1;
	return on && !strcmp(on, "error") ? HB_SEVERITY_ERROR : HB_SEVERITY_WARNING;
}

static bool fails(const struct check *k)
{
	uint64_t n = 0;
	for (int i = 0; i <= k->found.failing; i++)
		n += k->found.count[i];
	/* of a command that was run here its own status says it */
	bool died = k->found.died && (!k->args->rest || !k->made.end.status);
	return n || ((k->found.hanging || died) && k->found.failing >= 0);
}

static int judge(struct check *k)
{
	hb_wanted wanted = {hb__option_value(k->args, "severity"), hb__option_value(k->args, "only"),
		hb__option_value(k->args, "category")};
	if (k->hung)
		hb__tell_asleep(&k->run, &k->watch.lanes);
	unsigned flags = (k->hung ? HB_CHECK_HANGING : 0U) | (hb__option_value(k->args, "leaks") ? HB_CHECK_LEAKS : 0U);
	hb_model_wish model = {hb__option_value(k->args, "model"), hb__option_value(k->args, "set")};
	int code = hb__findings_read(&k->run, flags, &model, &k->found);
	if (code)
		return code;
	k->found.failing = failing(k->args);
	k->found.name = k->args->operand;
	if (!k->made.end.ended)
		hb__findings_died(&k->found);
	hb__quiets_apply(k->quiets, &k->found);
	hb__findings_choose(&k->found, &wanted);
	print(k);
	code = write_files(k);
	if (k->found.ending)
		hb__say("%s", k->found.ending);
	if (k->made.recording)
		hb__say("recording %s", hb__short(k->recording));
	if (!code && fails(k))
		code = (int)hb__option_number(k->args, "error-exit", HB_EXIT_FINDING);
	return code;
}

/* A job that failed without any finding fails the check, too. */
static int job_failed(const struct check *k)
{
	const hb_job_end *end = &k->made.end;
	if (!k->args->rest || !end->status || end->ended)
		return 0;
	hb__say("the command itself ended with status %d", end->status);
	return end->status;
}

int hb__check(const hb_args *args)
{
	struct check k = {.args = args};
	signal(SIGPIPE, SIG_IGN);
	if (args->rest && args->operand)
		return hb__fail_with(
			HB_EXIT_USAGE, "check takes a recording or a command, not both; -o names the recording");
	int code = hb__option_value(args, "only") ? hb__check_only(hb__option_value(args, "only")) : 0;
	hb_model_wish model = {hb__option_value(args, "model"), hb__option_value(args, "set")};
	code = code ? code : hb__model_check_wish(&model);
	code = code ? code : hb__quiets_read(&k.quiets, NULL);
	const char *more = hb__option_value(args, "suppress");
	if (!code && more)
		code = hb__quiets_read(&k.quiets, more);
	if (!code)
		code = args->rest ? record(&k) : hb__find_recording(args->operand, &k.recording);
	if (!code) {
		int missing = hb__open_run(k.recording, &k.run);
		code = k.run.model ? judge(&k) : missing;
		if (k.run.model && !code)
			code = job_failed(&k);
		if (!code)
			code = missing;
	}
	hb__findings_free(&k.found);
	hb__watch_close(&k.watch);
	hb__close_run(&k.run);
	hb__quiets_free(k.quiets);
	free(k.recording);
	return code;
}
