/* hbdb check */
#include <signal.h>
#include <stdlib.h>

#include "../../judging/judge.h"
#include "../../making/make.h"
#include "../../options.h"
#include "../../store/find.h"
#include "../../watch/watch.h"

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
		.out = hb__check_for_machines(args) ? 2 : 0,
		.watch = hb__watch,
		.user = &k->watch};
	int code = hb__make(&making, &k->made);
	k->hung = k->watch.ever;
	k->recording = k->made.recording;
	if (!code && !k->recording)
		return k->made.end.status ? k->made.end.status : HB_EXIT_RECORDING;
	return code;
}

static int judge(struct check *k)
{
	hb_judged job = {-1, 0, k->made.end.ended, k->made.recording};
	hb_model_wish model = hb__check_model(k->args);
	if (k->args->rest) {
		job.status = k->made.end.status;
		job.seconds = k->made.end.seconds;
	}
	if (k->hung)
		hb__tell_asleep(&k->run, &k->watch.lanes);
	unsigned flags = hb__check_flags(k->args) | (k->hung ? HB_CHECK_HANGING : 0U);
	int code = hb__findings_read(&k->run, flags, &model, &k->found);
	return code ? code : hb__check_judge(&k->found, k->args, k->quiets, &job);
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
	int code = hb__check_asked(args, &k.quiets);
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
