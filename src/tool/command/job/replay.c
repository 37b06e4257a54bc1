/* hbdb replay */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../job/reports.h"
#include "../../job/run.h"
#include "../../job/setup.h"
#include "../../live/command.h"
#include "../../options.h"
#include "../../store/find.h"
#include "../../store/logs.h"
#include "../../store/manifest.h"
#include "../../store/replay_folder.h"

const hb_option hb__replay_options[] = {
	{"on-divergence", 0, HB_OPTION_CHOICE, "stop|warn",
		"end the job at the first call that differs (default), or go on and tell"},
	{"contents", 0, HB_OPTION_CHOICE, "stop|warn|ignore",
		"what other contents of a message do; default: as --on-divergence, "
		"warn under another MPI"},
	{"output", 'o', HB_OPTION_RECORDING, "NEW.hbdb", "record the replay itself"},
	{"mpi", 0, HB_OPTION_CHOICE, "auto|openmpi|mpich",
		"the MPI library of the program; default: found from launcher and program"},
	{"patience", 0, HB_OPTION_NUMBER, "SECONDS",
		"how long all processes may wait inside MPI before the job is ended (default 10)"},
	{0},
};

/* A replay under way. */
struct replay {
	const hb_args *args;
	char *recording, *new_recording;
	hb_replay_folder folder;
	hb_manifest manifest;
	hb_command_line line;
	char **command;
	hb_reports reports;
};

/* ---- the run ---- */

static int run(struct replay *r, hb_job_end *ret_end)
{
	const char *divergence = hb__value(r->args, "on-divergence"), *contents = hb__value(r->args, "contents");
	bool same_mpi = r->manifest.mpi && r->line.mpi == hb__mpi_from_key(r->manifest.mpi);
	divergence = divergence ? divergence : "stop";
	const char *seconds = hb__value(r->args, "patience");
	double patience = seconds ? strtod(seconds, NULL) : 10;
	if (!contents)
		contents = same_mpi ? divergence : "warn";
	hb_setup setup = {.mpi = r->line.mpi,
		.mode = "replay",
		.folder = r->folder.folder,
		.level = hb__replay_level(&r->manifest),
		.check = r->manifest.contents,
		.sanitized = r->line.program.sanitized,
		.script = r->folder.script,
		.replay_log = r->new_recording,
		.divergence = divergence,
		.contents = contents};
	hb_strings variables, argv;
	bool plain;
	int code = hb__setup(&setup, &variables);
	if (code)
		return code;
	hb__forward(&r->line, r->command, variables.at, &argv, &plain);
	r->reports = (hb_reports){.folder = r->folder.folder,
		.size = r->folder.size,
		.stop = !strcmp(divergence, "stop"),
		.seen = hb__alloc((size_t)r->folder.size + 1),
		.over = hb__alloc(((size_t)r->folder.size + 1) * sizeof(bool)),
		.stall = {.logs = r->new_recording ? r->new_recording : r->folder.folder,
			.script = r->folder.script,
			.size = r->folder.size,
			.last = r->folder.last,
			.patience = patience},
		.foreign = -1,
		.printed = hb__alloc(((size_t)r->folder.size + 1) * sizeof(size_t))};
	hb_job job = {.argv = argv.at,
		.variables = plain ? variables.at : NULL,
		.launcher = r->line.launcher,
		.aslr = r->manifest.aslr,
		.watch = hb__watch_reports,
		.user = &r->reports};
	hb__run(&job, ret_end);
	hb__watch_reports(&r->reports);
	if (ret_end->error)
		hb__say("cannot run %s: %s", r->command[0], strerror(ret_end->error));
	hb__strings_free(&variables);
	hb__strings_free(&argv);
	return 0;
}

/* ---- after ---- */

/* Neither done nor at an end: it was killed or crashed, or has left unseen. */
static bool silent(const struct replay *r, int32_t rank)
{
	return !hb__report_seen(&r->reports, rank, HB_REPORT_DONE) &&
	       !hb__report_seen(&r->reports, rank, HB_REPORT_END);
}

/* "0, 2-5": the silent ranks; *ret_again says that all of them broke off in the recording, too. */
static char *silent_ranks(const struct replay *r, int32_t *ret_n, bool *ret_again)
{
	char *list = hb__copy("");
	*ret_n = 0;
	*ret_again = true;
	for (int32_t i = 0; i < r->folder.size; i++) {
		int32_t first = i;
		for (; i < r->folder.size && silent(r, i); i++)
			*ret_again = *ret_again && r->folder.broke_off[i];
		if (i == first)
			continue;
		*ret_n += i - first;
		char *more = i - first == 1 ? hb__format("%s%s%d", list, *list ? ", " : "", first)
					    : hb__format("%s%s%d-%d", list, *list ? ", " : "", first, i - 1);
		free(list);
		list = more;
	}
	return list;
}

static int say_unfinished(const struct replay *r, const hb_job_end *end, int32_t n, const char *list, bool again)
{
	if (again && end->status) {
		hb__say("replayed %d %s: no difference; %s %s ended inside MPI, as in the recording", r->folder.size,
			hb__plural((uint64_t)r->folder.size, "process", "processes"), n == 1 ? "rank" : "ranks", list);
		return end->status;
	}
	if (n == r->folder.size) {
		hb__say("nothing was replayed: no process followed its record%s",
			end->status ? "" : " (is it the program that was recorded?)");
		return end->status ? end->status : HB_EXIT_FINDING;
	}
	hb__say("replayed %d %s: no difference, but %s %s left before the end of the record", r->folder.size,
		hb__plural((uint64_t)r->folder.size, "process", "processes"), n == 1 ? "rank" : "ranks", list);
	if (end->signal)
		hb__say("the command was killed by signal %d (%s)", end->signal, strsignal(end->signal));
	return end->status ? end->status : HB_EXIT_FINDING;
}

static int conclude(const struct replay *r, const hb_job_end *end)
{
	const hb_reports *reports = &r->reports;
	hb__print_reports(reports, HB_REPORT_DIVERGENCE);
	hb__print_reports(reports, HB_REPORT_CONTENTS);
	hb__print_reports(reports, HB_REPORT_NOTE);
	hb__print_notes(&r->folder.sum);
	if (reports->foreign >= 0)
		return hb__fail_with(HB_EXIT_FINDING,
			"a process with rank %d came up, the recording has %d: a replay needs the same number",
			reports->foreign, r->folder.size);
	if (reports->count[HB_REPORT_DIVERGENCE]) {
		hb__say("the replay differs in %llu of %d processes%s",
			(unsigned long long)reports->count[HB_REPORT_DIVERGENCE], r->folder.size,
			reports->stop ? ": ended there" : "");
		return HB_EXIT_FINDING;
	}
	if (reports->record_ended) {
		hb__print_reports(reports, HB_REPORT_END);
		if (reports->stalled)
			hb__print_waiting(&reports->stall, reports->over);
		hb__say("replayed %d %s, %llu events: no difference; the record ends here, and so the job was ended",
			r->folder.size, hb__plural((uint64_t)r->folder.size, "process", "processes"),
			(unsigned long long)r->folder.events);
		return HB_EXIT_OK;
	}
	if (reports->stalled) {
		hb__print_waiting(&reports->stall, reports->over);
		hb__say("the replay got stuck: no process moved for %.0f seconds; ended there",
			reports->stall.patience);
		return HB_EXIT_FINDING;
	}
	if (end->interrupted && reports->count[HB_REPORT_DONE] < (uint64_t)r->folder.size) {
		hb__print_waiting(&reports->stall, reports->over);
		hb__say("interrupted by signal %d (%s); no difference up to there", end->interrupted,
			strsignal(end->interrupted));
		return end->status ? end->status : 128 + end->interrupted;
	}
	int32_t n;
	bool again;
	char *list = silent_ranks(r, &n, &again);
	int code = end->status;
	if (n)
		code = say_unfinished(r, end, n, list, again);
	else
		hb__say("replayed %d %s, %llu events: no difference%s", r->folder.size,
			hb__plural((uint64_t)r->folder.size, "process", "processes"),
			(unsigned long long)r->folder.events,
			reports->count[HB_REPORT_CONTENTS] ? " but in contents" : "");
	free(list);
	return code;
}

static void keep_new_recording(struct replay *r, const hb_job_end *end)
{
	hb_sum sum;
	hb_manifest m = {.mpi = hb__copy(hb__mpi_key(r->line.mpi)),
		.level = hb__copy(hb__replay_level(&r->manifest)),
		.contents = r->manifest.contents,
		.aslr = r->manifest.aslr,
		.replay_of = hb__copy(r->recording),
		.finished = true,
		.exit_status = end->status,
		.seconds = end->seconds};
	hb__finish_logs(r->new_recording, true, &sum);
	hb__manifest_begin(&m, r->command);
	hb__digest_program(hb__program_file(&r->line), &m.program);
	m.processes = sum.processes;
	if (!sum.processes && !sum.damaged) {
		hb__remove_folder(r->new_recording);
		hb__say("the replay left no log: %s was not made", r->new_recording);
	} else {
		if (hb__manifest_write(&m, r->new_recording))
			hb__say("%s/manifest.json: %s", r->new_recording, strerror(errno));
		hb__print_sum(r->new_recording, &sum);
	}
	hb__sum_free(&sum);
	hb__manifest_free(&m);
}

/* Preparing and cleaning up must not be cut by Ctrl-C: the folder would stay. */
static void hold_signals(bool hold, sigset_t *old)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	if (hold)
		sigprocmask(SIG_BLOCK, &set, old);
	else
		sigprocmask(SIG_SETMASK, old, NULL);
}

static bool interrupted(void)
{
	sigset_t set;
	return !sigpending(&set) &&
	       (sigismember(&set, SIGINT) == 1 || sigismember(&set, SIGTERM) == 1 || sigismember(&set, SIGHUP) == 1);
}

static int replay(struct replay *r)
{
	sigset_t old;
	hb_job_end end;
	const char *name = hb__value(r->args, "output");
	hold_signals(true, &old);
	int code = hb__open_replay_folder(r->recording, &r->folder);
	if (!code && name)
		code = hb__new_recording(name, "", &r->new_recording);
	code = code ? code
		    : hb__recorded_command(&r->manifest, r->args->rest, hb__value(r->args, "mpi"), r->folder.size,
			      &r->line, &r->command);
	if (!code && !interrupted()) {
		hold_signals(false, &old);
		code = run(r, &end);
		hold_signals(true, &old);
		if (!code) {
			code = conclude(r, &end);
			if (r->new_recording)
				keep_new_recording(r, &end);
		}
	} else if (r->new_recording)
		rmdir(r->new_recording);
	hb__close_replay_folder(&r->folder);
	hold_signals(false, &old);
	return code;
}

int hb__replay(const hb_args *args)
{
	struct replay r = {.args = args};
	int code = hb__find_recording(args->operand, &r.recording);
	if (!code && hb__manifest_read(r.recording, &r.manifest) && !args->rest)
		code = HB_EXIT_RECORDING;
	if (!code)
		code = replay(&r);
	hb__manifest_free(&r.manifest);
	hb__command_line_free(&r.line);
	free(r.reports.seen);
	free(r.reports.over);
	free(r.reports.printed);
	free(r.recording);
	free(r.new_recording);
	return code;
}
