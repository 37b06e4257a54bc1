/* The command's frame: opens the recording and the job, reads commands until the end, gives the exit code. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../live/points.h"
#include "../show/inert.h"
#include "../store/find.h"
#include "../store/manifest.h"
#include "../terminal.h"
#include "debug.h"

/* ---- signals ---- */

static volatile sig_atomic_t interrupted, ended;

static void on_interrupt(int sig)
{
	(void)sig;
	interrupted = 1;
}
static void on_end(int sig) { ended = sig; }
/* Not SIG_IGN: the job would inherit that. */
static void on_nothing(int sig) { (void)sig; }

static void catch (int sig, void (*handler)(int))
{
	struct sigaction action = {.sa_handler = handler}; /* no SA_RESTART: what waits is to wake up */
	sigaction(sig, &action, NULL);
}

static void catch_signals(void)
{
	catch (SIGINT, on_interrupt);
	catch (SIGTERM, on_end);
	catch (SIGHUP, on_end);
	catch (SIGPIPE, on_nothing);
}

int hb__d_signal(void)
{
	if (ended)
		return ended;
	/* at once: one that comes between a look and a reset would be lost */
	return __atomic_exchange_n(&interrupted, 0, __ATOMIC_RELAXED) ? SIGINT : 0;
}

bool hb__d_interrupted(void) { return interrupted || ended; }

/* ---- opening ---- */

/* A recording to replay: its model when it has one. 0, or an exit code. */
static int open_recording(hb_debug *d, const char *name)
{
	hb_manifest m = {0};
	int code = hb__find_recording(name, &d->recording);
	if (code)
		return code;
	int read = hb__manifest_read(d->recording, &m);
	code = read ? 0 : hb__manifest_runs(&m, d->recording, "debugged");
	if (code) {
		hb__manifest_free(&m);
		return code;
	}
	if (!read && !hb__manifest_has_calls(&m)) {
		d->level = hb__copy(m.level);
		d->whyno =
			"the recording does not contain all events; to stop at events, record at level events (the default)";
		hb__say("%s was recorded at level %s: it has no event numbers to stop at, but breakpoints in the source "
			"work; to stop at events, record at level events (the default)",
			hb__short(d->recording), m.level);
		hb__manifest_free(&m);
		return 0;
	}
	hb__manifest_free(&m);
	code = hb__open_run(d->recording, &d->run);
	if (!d->run.model)
		return code;
	d->facts = hb__facts_open(d->run.model);
	return 0; /* what is missing has been said; the rest can be replayed */
}

/* What the job prints comes through a pipe, so that it does not break a line that is being edited. 0, or an exit code. */
static int open_streams(const hb_args *args, hb_live_options *options, int *ret_read)
{
	const char *in = hb__option_value(args, "stdin");
	int fds[2];
	if (in && access(in, R_OK))
		return hb__fail_with(HB_EXIT_USAGE, "%s: %s", in, strerror(errno));
	if (pipe2(fds, O_CLOEXEC))
		return hb__fail_with(
			HB_EXIT_USAGE, "cannot make a pipe for the output of the job: %s", strerror(errno));
	fcntl(fds[0], F_SETFL, O_NONBLOCK);
	*ret_read = fds[0];
	options->out = fds[1];
	return 0;
}

static int open_job(hb_debug *d, const hb_args *args, hb_live_options *options)
{
	const char *pid = d->goal.attach ? d->goal.attach : hb__option_value(args, "attach");
	if (pid) {
		*options = (hb_live_options){.attach = pid, .attach_any = d->goal.attach != NULL};
		return hb__live_open(options, &d->live);
	}
	if (d->goal.processes) {
		*options = (hb_live_options){.processes = d->goal.processes, .nprocesses = d->goal.n};
		return hb__live_open(options, &d->live);
	}
	*options = (hb_live_options){.recording = d->recording,
		.one = d->one,
		.one_folder = d->one_folder,
		.budget = d->budget,
		.command = args->rest,
		.trust = hb__option_value(args, "trust") ? HB_TRUST_GIVEN : HB_TRUST_ASK,
		.mpi = hb__option_value(args, "mpi"),
		.tcp = hb__option_value(args, "listen"),
		.local = hb__option_value(args, "local"),
		.run = d->run.model ? &d->run : NULL,
		.waits = true,
		.output = hb__option_value(args, "output"),
		.input = hb__option_value(args, "stdin")};
	int code = open_streams(args, options, &d->job_out);
	code = code ? code : hb__live_open(options, &d->live);
	d->size = code ? 0 : hb_session_size(hb__live_session(d->live));
	return code;
}

/* Where an event of the complex leads, where one is given. 0, or an exit code. */
static int find_goal(hb_debug *d, const hb_args *args)
{
	static const char *const others[] = {"alone", "task", "at", "attach", "output", "listen", NULL};
	const char *event = hb__option_value(args, "event"), *database = hb__option_value(args, "database");
	if (!event)
		return database ? hb__fail_with(HB_EXIT_USAGE, "--database goes with --event") : 0;
	for (size_t i = 0; others[i]; i++)
		if (hb__option_value(args, others[i]))
			return hb__fail_with(HB_EXIT_USAGE, "--%s does not go with --event", others[i]);
	if (args->operand || args->rest)
		return hb__fail_with(HB_EXIT_USAGE,
			"--event finds process or recording by itself: give no recording and no command");
	return hb__event_goal(event, database, &d->goal);
}

/* The process of a task, where one is asked for. 0, or an exit code. */
static int find_task(hb_debug *d, const hb_args *args)
{
	const char *word = hb__option_value(args, "task");
	char *recording = NULL;
	if (!word)
		return 0;
	if (hb__option_value(args, "alone") || hb__option_value(args, "at"))
		return hb__fail_with(HB_EXIT_USAGE,
			"--task finds process and event by itself: it does not go with --alone and --at");
	int code = hb__find_recording(args->operand, &recording);
	code = code ? code : hb__farmed_find(recording, word, &d->task);
	free(recording);
	return code;
}

/* One process alone. hb__one_open goes into its folder; files that the user names are still of ours. */
static int open_one(hb_debug *d, const hb_args *args, hb_one *one)
{
	static const char *const others[] = {"attach", "output", "listen", "stdin", NULL};
	const char *process = d->task.process ? d->task.process : hb__option_value(args, "alone"),
		   *size = hb__option_value(args, "checkpoints");
	const hb_one_wish wish = {.recording = args->operand,
		.process = process,
		.command = args->rest,
		.mpi = hb__option_value(args, "mpi"),
		.trust = hb__option_value(args, "trust") != NULL,
		.ask = true};
	if (!process)
		return size ? hb__fail_with(HB_EXIT_USAGE, "--checkpoints goes with --alone or --task") : 0;
	for (size_t i = 0; others[i]; i++)
		if (hb__option_value(args, others[i]))
			return hb__fail_with(HB_EXIT_USAGE, "--%s does not go with --%s", others[i],
				d->task.process ? "task" : "alone");
	int here = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), code = hb__read_budget(size, &d->budget);
	code = code ? code : hb__one_open(&wish, one);
	d->one_folder = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (!code && (here < 0 || d->one_folder < 0 || fchdir(here)))
		code = hb__fail_with(HB_EXIT_USAGE, "cannot come back to this folder: %s", strerror(errno));
	if (here >= 0)
		close(here);
	d->one = code ? NULL : one;
	return code;
}

static void settle(hb_debug *d, const hb_args *args)
{
	hb__d_default_settings(&d->settings, hb__option_value(args, "json") != NULL);
	d->focus = hb__copy("*");
	d->last.line = HB_NO;
	d->job_out = -1;
}

static void close_all(hb_debug *d, const hb_live_options *options)
{
	hb__console_close(d);
	hb__live_close(d->live);
	d->live = NULL;
	if (options->out)
		close(options->out);
	hb__d_poll(d, 0); /* what the job printed at its end */
	if (d->job_out >= 0)
		close(d->job_out);
	hb__facts_close(d->facts);
	hb__close_run(&d->run);
	for (size_t i = 0; i < d->npoints; i++)
		hb__d_free_point(&d->points[i]);
	free(d->points);
	hb__d_pairs_free(&d->sets);
	hb__d_pairs_free(&d->aliases);
	hb__d_pairs_free(&d->bookmarks);
	hb__strings_free(&d->history);
	if (d->log)
		fclose(d->log);
	free(d->seen);
	free(d->told);
	free(d->shown);
	free(d->frame);
	free(d->gdb);
	free(d->at_point);
	free(d->focus);
	free(d->level);
	free(d->list_file);
	free(d->recording);
	hb__farmed_free(&d->task);
	hb__event_goal_free(&d->goal);
	if (d->one)
		close(d->one_folder);
}

/* ---- commands ---- */

static void read_terminal(hb_debug *d)
{
	d->console = hb__console_open(d);
	while (!d->quit) {
		bool end = false;
		char *line = hb__console_line(d, &end);
		if (line)
			hb__d_line(d, line);
		free(line);
		if (end)
			d->quit = true;
	}
}

/* A line for the user who gets the prompt. */
static void greet(hb_debug *d)
{
	if (d->size && !d->settings.json && hb__on_terminal(1) && hb__on_terminal(0))
		printf("%d %s of %s; type help for a list of commands\n", d->size,
			hb__plural((uint64_t)d->size, "process", "processes"),
			d->recording                 ? hb__tame(hb__short(d->recording))
			: hb__live_attached(d->live) ? "a job that was started without hbdb; quit leaves it running"
						     : "a live run");
}

/* To where the function of the task begins: the library has its address in a variable (include/hbdb/farm.h). Of other programs: to
 * the begin of the span, and what comes next is the task's. */
static int begin_task(hb_debug *d)
{
	hb_at event;
	char *at = hb__format("%s:%llu", d->task.process, (unsigned long long)d->task.begin);
	int code = hb__d_event(d, at, &event);
	code = code ? code : hb__d_goto(d, event);
	free(at);
	if (!code && d->task.farm)
		code = hb__d_line(d, "tbreak *(*(long*)&hb_farm_calling); cont");
	return code;
}

/* To the last event of a process that has ended: behind it is its end. */
static int begin_end(hb_debug *d)
{
	char *last = hb__format("%s:last", d->goal.process), *why = NULL;
	hb_at at;
	int code = hb__find_event(&d->run, last, &at, &why);
	if (code)
		hb__say("the recording has no events of process %s: it begins at the beginning", d->goal.process);
	code = code ? hb__d_start(d) : hb__d_goto_text(d, last);
	free(why);
	free(last);
	return code;
}

static int begin(hb_debug *d, const char *at)
{
	if (hb__live_attached(d->live)) {
		hb__d_poll(d, 0);
		hb__d_anew(d);
		for (int32_t i = 0; i < d->size; i++)
			hb__d_told(d, i); /* that they run is as expected */
		return 0;
	}
	if (d->task.process)
		return begin_task(d);
	if (d->goal.process && d->run.model)
		return begin_end(d);
	if (!at)
		return hb__d_start(d);
	return hb__d_goto_text(d, at);
}

static int work(hb_debug *d, const hb_args *args)
{
	const char *file = hb__option_value(args, "command"), *commands = hb__option_value(args, "execute");
	bool script = file || commands, terminal = isatty(0) && isatty(1);
	int code = begin(d, hb__option_value(args, "at"));
	if (code && (script || !terminal || code >= HB_EXIT_USAGE))
		return code;
	if (!script)
		greet(d);
	if (file)
		code = hb__d_script(d, file);
	if (commands && !d->quit && (!code || d->settings.go_on)) {
		int failed = hb__d_line(d, commands);
		code = code ? code : failed;
	}
	if (script)
		d->code = d->code ? d->code : code;
	/* a script without exit, on a terminal: the user takes over where it stands */
	if (!d->quit && terminal && !(file && !strcmp(file, "-"))) {
		d->code = 0;
		read_terminal(d);
	} else if (!d->quit && !script)
		d->code = hb__d_script(d, "-");
	return d->code;
}

int hb__debug_main(const hb_args *args)
{
	hb_debug d = {0};
	hb_live_options options = {0};
	const char *at = hb__option_value(args, "at");
	settle(&d, args);
	catch_signals();
	hb_one one = {0};
	int code = !at ? 0 : hb__is_point(at) ? hb__check_point(at) : hb__check_event(at);
	code = code ? code : find_goal(&d, args);
	if (!code && d.goal.node) {
		code = hb__event_elsewhere(args, &d.goal);
		hb__event_goal_free(&d.goal);
		return code;
	}
	code = code ? code : find_task(&d, args);
	code = code ? code : open_one(&d, args, &one);
	const char *name = d.goal.recording ? d.goal.recording : args->operand;
	bool attach = d.goal.attach || d.goal.processes || hb__option_value(args, "attach") != NULL;
	if (!code && attach && (args->operand || args->rest))
		code = hb__fail_with(HB_EXIT_USAGE,
			"--attach is for a job that is already running: give no recording and no command");
	if (!code && attach)
		d.whyno = "this job was started without hbdb: there are no events to go to";
	/* a command alone is a live run; a name, or nothing at all, is a recording */
	else if (!code && (d.one || name || !args->rest))
		code = open_recording(&d, d.one ? one.recording : name);
	else if (!code)
		d.whyno = "the recording of this run is not finished: exit first, then debug that recording";
	if (!code && at && !d.run.model)
		code = hb__fail_with(HB_EXIT_USAGE, "--at %s: %s", at, d.whyno);
	if (!code)
		code = open_job(&d, args, &options);
	if (!code)
		code = work(&d, args);
	bool differed = d.differed;
	close_all(&d, &options);
	hb__one_close(&one);
	if (ended)
		return 128 + ended;
	return !code && differed ? HB_EXIT_FINDING : code;
}
