/* hbdb replay */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../findings/findings.h"
#include "../../job/reports.h"
#include "../../recorded/alone.h"
#include "../../recorded/command.h"
#include "../../recorded/trust.h"
#include "../../making/keep.h"
#include "../../making/launch.h"
#include "../../clocks/align.h"
#include "../../nodes/replaying/distribute.h"
#include "../../store/made.h"
#include "../../options.h"
#include "../../store/find.h"
#include "../../store/logs.h"
#include "../../store/manifest.h"
#include "../../store/replayed/folder.h"
#include "../../farmed/farmed.h"

const hb_option hb__replay_options[] = {
	{"on-divergence", 0, HB_OPTION_CHOICE, "stop|warn",
		"at the first call that differs, end the job (default), or go on and report it at the end"},
	{"contents", 0, HB_OPTION_CHOICE, "stop|warn|ignore",
		"when the contents of messages differ: end the job, report it at the end (default), or ignore it"},
	{"alone", 0, HB_OPTION_TEXT, "PROCESS",
		"run this one process by itself, without the others, their launcher and the network: MPI answers from the recording (of level data)"},
	{"task", 0, HB_OPTION_TEXT, "TASK[.PART][:SPAN]",
		"run the process that worked on this task by itself, as --alone does, up to the end of the task"},
	{"under", 0, HB_OPTION_TEXT, "TOOL",
		"with --alone or --task: put this command in front of the program, as in --under 'valgrind -q'"},
	{"inputs", 0, HB_OPTION_CHOICE, "on|off",
		"of a recording of level data: give back what the program asked the system for, clocks, random numbers, files and the like (default), or not"},
	{"threads", 0, HB_OPTION_CHOICE, "on|off",
		"repeat the recorded order between threads of a process (default), or not"},
	{"output", 'o', HB_OPTION_RECORDING, "NEW.hbdb", "record the replay as well"},
	{"local", 0, HB_OPTION_TEXT, "FOLDER|off",
		"of a command that runs on several nodes: the folder on each for what its processes follow, which goes there before it begins; off: they follow it in the folder of the replay, which all see; default: /tmp"},
	{"mpi", 0, HB_OPTION_CHOICE, "auto|openmpi|mpich",
		"the MPI library of the program; default: found from launcher and program"},
	{"trust", 0, HB_OPTION_FLAG, NULL,
		"run the command of a recording that may come from somebody else, without asking"},
	{"patience", 0, HB_OPTION_NUMBER, "SECONDS",
		"how long all processes may make no progress before hbdb checks whether any of them still can; default: 10"},
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
	bool has_command;  /* alone: its contents tell how it was started */
	const char *alone; /* the one process that is replayed; NULL: all are */
	hb_farmed task;    /* .called NULL: none was asked for */
	hb_reports reports;
	hb_distributed away; /* over several nodes: what runs there */
};

/* ---- the run ---- */

static bool watch(void *user)
{
	struct replay *r = user;
	bool lost = hb__distributed_look(&r->away);
	return hb__watch_reports(&r->reports) || lost;
}

static void ending(void *user)
{
	struct replay *r = user;
	hb__reports_ending(&r->reports);
	hb__distributed_ending(&r->away);
}

/* given: inputs are given back. */
static void say_missing(const struct replay *r, bool given)
{
	if (!given && hb__manifest_layers(&r->manifest) & HB_LAYER_SOCKETS)
		hb__say(hb__manifest_has_inputs(&r->manifest)
				? "inputs are off: clocks, random numbers, files and the like are those of this run"
				: "the recording has no inputs: clocks, random numbers, files and the like are those of this run, and what follows from them may differ");
	hb__say_outside(&r->folder, &r->manifest, given);
}

static void begin_reports(struct replay *r, bool stop, double patience)
{
	r->reports = (hb_reports){.folder = r->folder.folder,
		.size = r->folder.size,
		.only = r->folder.only,
		.stop = stop,
		.seen = hb__alloc((size_t)r->folder.size + 1),
		.over = hb__alloc(((size_t)r->folder.size + 1) * sizeof(bool)),
		.stall = {.logs = r->away.logs,
			.script = r->folder.script,
			.recording = r->recording,
			.size = r->folder.size,
			.name = r->folder.name,
			.last = r->folder.last,
			.patience = patience,
			.ended = hb__manifest_end(&r->manifest),
			.lasted = r->manifest.seconds},
		.foreign = -1,
		.printed = hb__alloc(((size_t)r->folder.size + 1) * sizeof(size_t))};
}

static int run(struct replay *r, hb_job_end *ret_end)
{
	const char *divergence = hb__option_value(r->args, "on-divergence"),
		   *contents = hb__option_value(r->args, "contents");
	divergence = divergence ? divergence : "stop";
	const char *seconds = hb__option_value(r->args, "patience"), *inputs = hb__option_value(r->args, "inputs"),
		   *threads = hb__option_value(r->args, "threads");
	bool given = hb__manifest_has_inputs(&r->manifest) && !(inputs && !strcmp(inputs, "off"));
	unsigned without = (given ? 0 : HB_LAYER_INPUTS) | (threads && !strcmp(threads, "off") ? HB_LAYER_THREADS : 0);
	double patience = seconds ? strtod(seconds, NULL) : 10;
	char begins[16];
	snprintf(begins, sizeof begins, "%d", r->folder.begins);
	int unpacked = given ? hb__unpack_inputs(r->recording, &r->folder) : 0;
	if (unpacked)
		return unpacked;
	say_missing(r, given);
	int code = hb__distribute(hb__option_value(r->args, "local"), &r->line, r->command, &r->folder, given,
		r->new_recording, &r->away);
	if (code)
		return code;
	const hb_launch launch = {.line = &r->line,
		.command = r->command,
		.setup = {.mode = "replay",
			.folder = r->away.folder,
			.level = hb__replay_level(&r->manifest),
			.digests = r->manifest.contents,
			.whole = r->manifest.whole && r->new_recording,
			.layers = hb__manifest_layers(&r->manifest) & ~without,
			.files = r->away.files,
			.script = r->away.script,
			.traced = r->away.traced,
			.alone = r->alone ? begins : NULL,
			.without_mpi = r->alone && r->folder.only >= r->folder.ranks,
			.replay_log = r->away.log,
			.divergence = divergence,
			.contents = contents ? contents : "warn"},
		.aslr = r->manifest.aslr,
		.watch = watch,
		.ending = ending,
		.user = r};
	begin_reports(r, !strcmp(divergence, "stop"), patience);
	code = hb__launch(&launch, ret_end, NULL);
	if (!code) {
		hb__distributed_over(&r->away);
		hb__watch_reports(&r->reports);
	}
	return code;
}

/* ---- after ---- */

/* Neither done nor at an end: it was killed or crashed, or has left unseen. */
static bool silent(const struct replay *r, int32_t rank)
{
	return hb__is_replayed(&r->reports, rank) && !hb__report_seen(&r->reports, rank, HB_REPORT_DONE) &&
	       !hb__report_seen(&r->reports, rank, HB_REPORT_END);
}

/* "ranks 0,2", "worker#2": of n numbers. Free it. */
static char *called(const struct replay *r, const int32_t *number, size_t n)
{
	hb_ranked *all = hb__alloc((n + 1) * sizeof *all);
	for (size_t i = 0; i < n; i++) {
		const char *name = r->folder.name[number[i]], *at = strchr(name, '@');
		bool rank = *hb_rank_word(name);
		all[i] = (hb_ranked){!rank ? (uint32_t)(number[i] + 1)
				     : at  ? (uint32_t)atoi(at + 1)
					   : 0,
			rank ? atoi(name) : number[i], rank ? NULL : name};
	}
	char *text = hb__called_text(all, n);
	free(all);
	return text;
}

/* How the silent processes ended. */
struct silence {
	int32_t n;      /* silent processes */
	int32_t absent; /* ... that did not come up: the program did not start, or is another one */
	int32_t early;  /* one that ended before its record, when none got to the end of it; -1: none */
	int64_t early_event;
	bool again; /* all of them broke off in the recording, too, and one got to where it did */
	char *ranks, *absent_ranks;
};

static void look_at_silent(struct replay *r, struct silence *ret)
{
	int32_t *silent_rank = hb__alloc(((size_t)r->folder.size + 1) * sizeof *silent_rank),
		*absent_rank = hb__alloc(((size_t)r->folder.size + 1) * sizeof *absent_rank);
	bool broke_off = true, reached = false;
	*ret = (struct silence){.early = -1};
	for (int32_t i = 0; i < r->folder.size; i++) {
		if (!silent(r, i))
			continue;
		int64_t events = hb__stood_at(&r->reports.stall, i);
		silent_rank[ret->n++] = i;
		if (events < 0)
			absent_rank[ret->absent++] = i;
		broke_off = broke_off && r->folder.broke_off[i];
		bool there = events >= 0 && r->folder.broke_off[i] &&
			     (r->folder.last[i] == UINT64_MAX || (uint64_t)events >= r->folder.last[i]);
		reached = reached || there;
		if (events >= 0 && !there && ret->early < 0) {
			ret->early = i;
			ret->early_event = events;
		}
	}
	/* what ended one process ended the others, at another moment than then */
	ret->early = reached ? -1 : ret->early;
	ret->again = broke_off && reached && !ret->absent;
	ret->ranks = called(r, silent_rank, (size_t)ret->n);
	ret->absent_ranks = called(r, absent_rank, (size_t)ret->absent);
	free(silent_rank);
	free(absent_rank);
}

/* How many processes were to be replayed. */
static int32_t processes_of(const struct replay *r) { return r->alone ? 1 : r->folder.size; }

static int say_unfinished(const struct replay *r, const hb_job_end *end, const struct silence *s, const char *words)
{
	int32_t size = processes_of(r);
	const char *processes = hb__plural((uint64_t)size, "process", "processes");
	/* of a launcher that was told of a process killed by a signal, some return 0 now and then (MPICH 4.2) */
	if (s->again) {
		hb__say("replayed %d %s: %s; %s ended inside MPI, as in the recording", size, processes, words,
			s->ranks);
		return end->status;
	}
	if (s->absent == size) {
		hb__say("nothing was replayed: no process followed its recording%s",
			!end->status      ? " (is it the program that was recorded?)"
			: r->folder.ranks ? " (the command failed before MPI_Init was done)"
					  : " (the command failed before its first event)");
	} else if (s->absent) {
		hb__say("not replayed: %s did not %s; the others: %s", s->absent_ranks,
			r->folder.ranks ? "get through MPI_Init" : "come to a first event", words);
	} else {
		hb__say("replayed %d %s: %s, but %s ended before the end of its recording", size, processes, words,
			s->ranks);
	}
	if (s->early >= 0)
		hb__say("%s%s ended after event %lld", hb_rank_word(r->folder.name[s->early]), r->folder.name[s->early],
			(long long)s->early_event);
	if (end->signal)
		hb__say("the command was killed by signal %d (%s)", end->signal, strsignal(end->signal));
	return end->status ? end->status : HB_EXIT_FINDING;
}

/* One process alone has events behind the end of what was kept of its contents: those were not looked at. */
static bool say_ended_early(struct replay *r, const char *words)
{
	int64_t at = r->alone ? hb__stood_at(&r->reports.stall, r->folder.only) : -1;
	uint64_t last = r->alone ? r->folder.only_events : 0;
	if (at < 0 || (uint64_t)at >= last)
		return false;
	hb__say("replayed 1 process, up to event %lld of %llu of its first thread: %s up to there; what was kept of its contents ends here, so hbdb ended the job",
		(long long)at, (unsigned long long)last, words);
	return true;
}

/* It stands still at the end of a record, but others have not come that far, and it is not the missing rest that they wait for. */
static bool say_short(const struct replay *r, const char *words)
{
	hb_wait_for w;
	if (r->alone || !r->reports.stalled || !hb__falls_short(&r->reports.stall, r->reports.over, &w))
		return false;
	hb__say("the replay got stuck: %s%s did not return from %s, its event %llu, as it did in the recording; up to there %s; hbdb ended the job",
		hb_rank_word(r->folder.name[w.rank]), r->folder.name[w.rank], w.call, (unsigned long long)w.event,
		words);
	return true;
}

/* How far one task got whose process was followed up to the end of it, or of its record. False: not through the task. */
static bool say_task(struct replay *r, const char *words)
{
	const hb_farmed *t = &r->task;
	int64_t at = t->called ? hb__stood_at(&r->reports.stall, r->folder.only) : -1;
	if (at < 0 || (uint64_t)at < (t->end ? t->end : t->begin + 1))
		return false;
	hb__say(t->end ? "%s: %s ran to its end, as it did when it was recorded: %s; hbdb ended the process there"
		       : "%s: %s went on past the place where it had ended the process when it was recorded; up to there %s; hbdb ended the process",
		t->called, t->function, words);
	return true;
}

/* Of processes on nodes that are gone nothing more is known: what the others did then follows from that. */
static int say_lost(const struct replay *r, const hb_job_end *end)
{
	hb__distributed_say_lost(&r->away);
	hb__say("the replay was not followed to its end: with a node, its processes are lost");
	return !end->ended && end->status ? end->status : HB_EXIT_RECORDING;
}

static int say_interrupted(const hb_reports *reports, const hb_job_end *end, const char *words)
{
	hb__print_waiting(&reports->stall, reports->over);
	hb__say("interrupted by signal %d (%s); up to there %s", end->interrupted, strsignal(end->interrupted), words);
	return end->status ? end->status : 128 + end->interrupted;
}

/* `words`: what is the same, when every call is. */
static int conclude(struct replay *r, const hb_job_end *end, const char *words)
{
	const hb_reports *reports = &r->reports;
	hb__print_reports(reports, HB_REPORT_DIVERGENCE);
	hb__print_contents(reports);
	hb__print_reports(reports, HB_REPORT_NOTE);
	hb__print_notes(&r->folder.sum);
	if (reports->foreign >= 0)
		return hb__fail_with(HB_EXIT_FINDING,
			"a process with rank %d started, but the recording has %d processes: a replay needs the same number",
			reports->foreign, r->folder.size);
	if (reports->count[HB_REPORT_DIVERGENCE]) {
		hb__say("the replay differs in %llu of %d processes%s",
			(unsigned long long)reports->count[HB_REPORT_DIVERGENCE], processes_of(r),
			reports->stop ? ": ended there" : "");
		return HB_EXIT_FINDING;
	}
	if (hb__distributed_look(&r->away))
		return say_lost(r, end);
	if (reports->record_ended) {
		if (!r->task.end)
			hb__print_reports(reports, HB_REPORT_END);
		if (reports->stalled)
			hb__print_waiting(&reports->stall, reports->over);
		if (say_short(r, words))
			return HB_EXIT_FINDING;
		if (!say_task(r, words) && !say_ended_early(r, words))
			hb__say("replayed %d %s, %llu events: %s; the recording ends here, so hbdb ended the job",
				processes_of(r), hb__plural((uint64_t)processes_of(r), "process", "processes"),
				(unsigned long long)r->folder.events, words);
		return HB_EXIT_OK;
	}
	if (reports->stalled) {
		hb__print_waiting(&reports->stall, reports->over);
		bool proven = reports->stall.sure == HB_STILL_PROVEN;
		hb__say("the replay got stuck: no process made progress for %.0f seconds%s; hbdb ended the job",
			reports->stall.still,
			proven ? ", and the recording shows that none can"
			       : "; if it only needed more time, give a longer --patience SECONDS");
		return HB_EXIT_FINDING;
	}
	if (end->interrupted && reports->count[HB_REPORT_DONE] < (uint64_t)processes_of(r))
		return say_interrupted(reports, end, words);
	struct silence silence;
	int code = end->status;
	look_at_silent(r, &silence);
	if (silence.again && r->task.called &&
		hb__stood_at(&r->reports.stall, r->folder.only) >= (int64_t)r->task.begin)
		hb__say("%s: %s ended the process again, as when it was recorded; `hbdb debug --task %s` stops where it begins",
			r->task.called, r->task.function, hb__option_value(r->args, "task"));
	if (silence.n)
		code = say_unfinished(r, end, &silence, words);
	else
		hb__say("replayed %d %s, %llu events: %s", processes_of(r),
			hb__plural((uint64_t)processes_of(r), "process", "processes"),
			(unsigned long long)r->folder.events, words);
	free(silence.ranks);
	free(silence.absent_ranks);
	return code;
}

static void keep_new_recording(struct replay *r, const hb_job_end *end)
{
	hb_sum sum;
	hb_manifest m = {.level = hb__copy(hb__replay_level(&r->manifest)),
		.layers = hb__manifest_layers(&r->manifest) & ~(unsigned)HB_LAYER_INPUTS,
		.contents = r->manifest.contents,
		.whole = r->manifest.whole,
		.aslr = r->manifest.aslr,
		.replay_of = hb__copy(r->recording)};
	hb__describe_recording(&r->line, r->command, &m);
	hb__distributed_fetch(&r->away, r->new_recording);
	if (r->away.spread.nodes.n)
		hb__nodes_describe(&r->away.spread.nodes, false, &m);
	if (!hb__keep_recording(r->new_recording, end, true, &m, &sum))
		hb__say("the replay left no logs, so %s was not written", r->new_recording);
	else {
		hb__made_note(&m);
		if (r->away.spread.nodes.n)
			hb__clocks_align(r->new_recording);
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

/* given: the command of the user; NULL: that of the recording. */
static int replay(struct replay *r, char **given)
{
	sigset_t old;
	hb_job_end end;
	const char *name = hb__option_value(r->args, "output");
	hold_signals(true, &old);
	int code = hb__open_replay_folder(r->recording, r->alone, r->task.end ? r->task.end : UINT64_MAX, &r->folder);
	if (!code && r->alone && !given && !r->has_command)
		code = hb__fail_with(HB_EXIT_RECORDING,
			"the contents of %s%s do not have its command: they are damaged; give it after the name, as in NAME -- COMMAND",
			hb_rank_word(r->alone), r->alone);
	if (!code && name)
		code = hb__new_recording(name, "", &r->new_recording);
	code = code ? code
		    : hb__recorded_command(&r->manifest, given, hb__option_value(r->args, "mpi"),
			      r->alone          ? 1
			      : r->folder.ranks ? r->folder.ranks
						: r->folder.size,
			      &r->line, &r->command);
	if (!code && !interrupted()) {
		hold_signals(false, &old);
		code = run(r, &end);
		hold_signals(true, &old);
		if (!code) {
			char *words = hb__contents_words(&r->reports, &r->manifest);
			code = conclude(r, &end, words);
			free(words);
			char *places = code ? hb__distributed_places(&r->away, r->folder.name, r->folder.size) : NULL;
			if (places)
				hb__say("on %s", places);
			free(places);
			if (r->new_recording)
				keep_new_recording(r, &end);
		}
	} else if (r->new_recording)
		rmdir(r->new_recording);
	hb__distribute_end(&r->away);
	hb__close_replay_folder(&r->folder);
	hold_signals(false, &old);
	return code;
}

int hb__replay(const hb_args *args)
{
	struct replay r = {.args = args, .alone = hb__option_value(args, "alone")};
	const char *task = hb__option_value(args, "task");
	int code = task && r.alone ? hb__fail_with(HB_EXIT_USAGE,
					     "--task finds the process by itself: it does not go with --alone")
				   : hb__find_recording(args->operand, &r.recording);
	if (!code && hb__manifest_read(r.recording, &r.manifest) && !args->rest)
		code = HB_EXIT_RECORDING;
	code = code ? code : hb__manifest_runs(&r.manifest, r.recording, "replayed");
	code = code || !task ? code : hb__farmed_find(r.recording, task, &r.task);
	r.alone = r.task.process ? r.task.process : r.alone;
	bool trusted = false;
	if (!code && r.alone) {
		char *why = args->rest ? NULL : hb__trust_not(r.recording, &r.manifest);
		trusted = !why; /* then so is what its processes told of themselves */
		free(why);
		hb__alone_environment();
		r.has_command = args->rest != NULL;
		code = hb__alone_talks(&r.manifest, r.alone);
		code = code || args->rest ? code : hb__alone_command(r.recording, r.alone, &r.manifest, &r.has_command);
	}
	if (!code && !args->rest && !trusted)
		code = hb__trust(
			r.recording, &r.manifest, hb__option_value(args, "trust") ? HB_TRUST_GIVEN : HB_TRUST_ASK);
	const char *under = hb__option_value(args, "under");
	if (!code && under && !r.alone)
		code = hb__fail_with(HB_EXIT_USAGE,
			"--under is for one process by itself: give --alone PROCESS or --task TASK, too");
	if (!code && under) {
		hb_strings command;
		hb__put_under(under, args->rest ? args->rest : r.manifest.command.at, &command);
		hb__strings_free(&r.manifest.command);
		r.manifest.command = command;
	}
	if (!code)
		code = replay(&r, under ? NULL : args->rest);
	hb__manifest_free(&r.manifest);
	hb__farmed_free(&r.task);
	hb__command_line_free(&r.line);
	hb__stall_close(&r.reports.stall);
	free(r.reports.seen);
	free(r.reports.over);
	free(r.reports.printed);
	free(r.recording);
	free(r.new_recording);
	return code;
}
