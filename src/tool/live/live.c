/* A job under control: what it is started with, starting and ending it, where it is to stop. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "../clocks/align.h"
#include "../making/keep.h"
#include "../making/launch.h"
#include "../store/made.h"
#include "../memory/recent.h"
#include "parts.h"
#include "processors/runner.h"

#define HAND_ON_S 0.05

/* ---- opening ---- */

static int open_replay(hb_live *l, const hb_live_options *o)
{
	if (hb__manifest_read(l->recording, &l->manifest) && !o->command)
		return HB_EXIT_RECORDING;
	int code = o->command ? 0 : hb__trust(l->recording, &l->manifest, o->trust);
	code = code ? code : hb__open_replay_folder(l->recording, NULL, UINT64_MAX, &l->folder);
	code = code || !hb__manifest_has_inputs(&l->manifest) ? code : hb__unpack_inputs(l->recording, &l->folder);
	if (code)
		return code;
	hb__say_outside(&l->folder, &l->manifest, hb__manifest_has_inputs(&l->manifest));
	return hb__recorded_command(&l->manifest, o->command, o->mpi,
		l->folder.ranks ? l->folder.ranks : l->folder.size, &l->line, &l->command);
}

static int open_command(hb_live *l, const hb_live_options *o)
{
	hb__clean_environment();
	l->command = o->command;
	int code = hb__read_command_line(l->command, hb__mpi_from_key(o->mpi), HB_MPI_UNKNOWN, &l->line);
	if (!code)
		hb__say_assumed(&l->line);
	return code;
}

/* A job that runs already: nothing is prepared, and only gdb looks at it. */
static int attach(hb_live *l, const char *pid, bool any)
{
	int32_t *pids;
	hb_error err = {0};
	hb_session_options o = {.beyond = hb__beyond_gdb};
	int code = hb__find_job(pid, any, &pids, &o.size);
	if (code)
		return code;
	if (hb_session_open(&o, &l->session, &err))
		code = hb__fail_with(HB_EXIT_USAGE, "%s", err.message);
	else
		hb_session_adopt(l->session, pids, NULL);
	l->attached = !code;
	free(pids);
	return code;
}

/* Processes that the manager knows, some on other nodes. */
static int attach_there(hb_live *l, const hb_event_process *processes, size_t n)
{
	int32_t *pids = hb__alloc(n * sizeof *pids);
	const char **hosts = hb__alloc(n * sizeof *hosts);
	hb_error err = {0};
	for (size_t i = 0; i < n; i++) {
		pids[i] = (int32_t)processes[i].pid;
		hosts[i] = processes[i].host;
	}
	int code = hb__distant_reach(processes, n, hb__beyond_gdb_of, &l->away.spread.nodes);
	code = code ? code : hb__distant_open(&l->away.spread.nodes, &l->distant);
	const hb_session_options o = {
		.size = (int32_t)n, .nodes = code ? NULL : hb__distant_nodes(l->distant), .beyond = hb__beyond_gdb};
	if (!code && hb_session_open(&o, &l->session, &err))
		code = hb__fail_with(HB_EXIT_USAGE, "%s", err.message);
	else if (!code)
		hb_session_adopt(l->session, pids, hosts);
	l->attached = !code;
	free(pids);
	free(hosts);
	return code;
}

/* The nodes of the command, if there are any. */
static int open_nodes(hb_live *l)
{
	bool shared = l->local && !strcmp(l->local, "off");
	int code = l->replay && !shared
			   ? hb__distribute(l->local, &l->line, l->command, &l->folder,
				     hb__manifest_has_inputs(&l->manifest), NULL, &l->away)
			   : hb__spread_open(shared ? NULL : l->local, &l->line, l->command, &l->away.spread);
	if (code || !l->away.spread.nodes.n)
		return code;
	l->apart = !shared;
	return hb__distant_open(&l->away.spread.nodes, &l->distant);
}

int hb__live_open(const hb_live_options *options, hb_live **ret)
{
	hb_live *l = *ret = hb__alloc(sizeof *l);
	hb_error err = {0};
	*l = (hb_live){
		.run = options->run, .replay = options->recording != NULL, .reached = -1, .local = options->local};
	l->recording = options->recording ? hb__copy(options->recording) : NULL;
	l->output = options->output;
	l->out = options->out;
	l->look_for_waits = options->waits;
	l->input = hb__copy(options->input ? options->input : "/dev/null");
	if (options->attach)
		return attach(l, options->attach, options->attach_any);
	if (options->processes)
		return attach_there(l, options->processes, options->nprocesses);
	if (options->one)
		return hb__live_open_alone(l, options);
	int code = l->replay ? open_replay(l, options) : open_command(l, options);
	/* --listen is for machines that nobody can log in to: then nothing is known of their processes but what they say */
	code = code || options->tcp ? code : open_nodes(l);
	if (code)
		return code;
	const hb_session_options o = {.size = l->folder.ranks,
		.others = l->replay ? (const char *const *)l->folder.name + l->folder.ranks : NULL,
		.nothers = (size_t)(l->folder.made - l->folder.ranks),
		.logs = l->folder.folder,
		.tcp = options->tcp,
		.nodes = hb__distant_nodes(l->distant),
		.beyond = hb__beyond_gdb};
	if (hb_session_open(&o, &l->session, &err))
		return hb__fail_with(HB_EXIT_USAGE, "%s", err.message);
	hb__live_open_stubs(l);
	return 0;
}

void hb__live_close(hb_live *l)
{
	if (!l)
		return;
	hb__live_end(l);
	hb_session_close(l->session);
	hb__live_close_stubs(l);
	hb__distant_close(l->distant);
	hb__distribute_end(&l->away);
	free(l->number);
	free(l->of_session);
	if (l->replay && !l->one)
		hb__close_replay_folder(&l->folder);
	hb__manifest_free(&l->manifest);
	hb__command_line_free(&l->line);
	hb__live_free_reports(l);
	hb__live_free_waits(l);
	free(l->recording);
	free(l->input);
	free(l);
}

hb_session *hb__live_session(hb_live *l) { return l->session; }
bool hb__live_attached(const hb_live *l) { return l->attached; }
bool hb__live_alone(const hb_live *l) { return l->one != NULL; }

bool hb__live_running(const hb_live *l)
{
	for (int32_t i = 0; (l->attached || l->one) && i < hb_session_size(l->session); i++) {
		hb_life life = hb_session_proc(l->session, i)->life;
		if (life != HB_LIFE_EXITED && life != HB_LIFE_DEAD && (l->attached || life != HB_LIFE_ABSENT))
			return true;
	}
	return l->job != NULL;
}

int hb__live_status(const hb_live *l) { return l->end.status; }
double hb__live_reached(const hb_live *l) { return l->reached; }
double hb__live_seconds(const hb_live *l) { return l->job ? hb_seconds() - l->begin : -1; }

/* ---- starting ---- */

/* What the run before left in the folder: logs and reports. */
static void clear_folder(const char *folder)
{
	DIR *dir = opendir(folder);
	for (struct dirent *e; dir && (e = readdir(dir));) {
		struct stat st;
		if (!fstatat(dirfd(dir), e->d_name, &st, AT_SYMLINK_NOFOLLOW) && S_ISREG(st.st_mode))
			unlinkat(dirfd(dir), e->d_name, 0);
	}
	if (dir)
		closedir(dir);
}

/* Of this run, on the nodes. */
static int make_folders(hb_live *l)
{
	hb_nodes *nodes = &l->away.spread.nodes;
	free(nodes->folder);
	nodes->folder = NULL;
	int code = hb__nodes_make(nodes, l->local ? l->local : HB_NODE_FOLDER, l->manifest.id);
	if (!code)
		hb__nodes_describe(nodes, true, &l->manifest);
	return code;
}

static int begin_recording(hb_live *l)
{
	free(l->recording);
	l->recording = NULL;
	int code = hb__begin_recording(&l->line, l->command, l->output, &l->recording);
	if (code)
		return code;
	hb__manifest_free(&l->manifest);
	l->manifest = (hb_manifest){.level = hb__copy("events"),
		.layers = HB_LAYER_MPI | HB_LAYER_USER | HB_LAYER_THREADS,
		.contents = true};
	hb__describe_recording(&l->line, l->command, &l->manifest);
	code = l->apart ? make_folders(l) : 0;
	if (code)
		return code;
	hb__write_manifest(&l->manifest, l->recording);
	hb__made_note(&l->manifest);
	return 0;
}

static hb_setup setup_of(const hb_live *l)
{
	if (!l->replay)
		return (hb_setup){.mode = "record",
			.folder = l->apart ? l->away.spread.nodes.folder : l->recording,
			.level = "events",
			.layers = l->manifest.layers,
			.digests = true};
	return (hb_setup){.mode = "replay",
		.folder = l->apart ? l->away.folder : l->folder.folder,
		.level = hb__replay_level(&l->manifest),
		.digests = l->manifest.contents,
		.layers = hb__manifest_layers(&l->manifest),
		.files = l->apart ? l->away.files : l->folder.files,
		.script = l->apart ? l->away.script : l->folder.script,
		.traced = l->apart ? l->away.traced : l->folder.traced,
		.divergence = "stop",
		.contents = "warn"};
}

static int launch(hb_live *l)
{
	hb_launch launch = {.line = &l->line,
		.command = l->command,
		.setup = setup_of(l),
		.keep_others = true,
		.input = l->input,
		.out = l->out,
		.aslr = l->replay && l->manifest.aslr};
	launch.setup.control = hb_session_environment(l->session);
	launch.setup.stubs = l->stubs;
	l->begin = hb_seconds();
	int code = hb__launch(&launch, &l->end, &l->job);
	return !code && !l->job ? l->end.status : code;
}

int hb__live_start(hb_live *l)
{
	hb_error err = {0};
	if (l->attached)
		return hb__fail_with(HB_EXIT_USAGE, "hbdb cannot restart a job that was started without it");
	hb__live_end(l);
	if (l->one)
		return hb__live_start_alone(l);
	int code = l->replay ? 0 : begin_recording(l);
	if (code)
		return code;
	if (l->replay && l->apart)
		hb__distributed_again(&l->away);
	if (l->replay)
		clear_folder(l->folder.folder);
	if (l->apart)
		hb__distant_logs(l->distant, l->replay ? l->away.folder : l->away.spread.nodes.folder);
	if (hb_session_again(l->session, l->replay ? NULL : l->recording, &err))
		return hb__fail_with(HB_EXIT_USAGE, "%s", err.message);
	hb__live_begin_reports(l);
	hb__live_free_waits(l);
	return launch(l);
}

static bool any_log(const char *recording)
{
	hb_logs logs;
	bool any = !hb__list_logs(recording, &logs) && logs.n > 0;
	hb__close_logs(&logs);
	return any;
}

static void keep_recording(hb_live *l)
{
	hb_sum sum = {0};
	bool lost = l->apart && !hb__spread_fetch(&l->away.spread, l->recording, true, &l->manifest);
	if (lost && !any_log(l->recording)) { /* it is all to be fetched */
		l->manifest.finished = true;
		l->manifest.exit_status = l->end.status;
		l->manifest.seconds = l->end.seconds;
		hb__write_manifest(&l->manifest, l->recording);
	} else if (!hb__keep_recording(l->recording, &l->end, true, &l->manifest, &sum))
		hb__say("nothing was recorded: no process called MPI_Init");
	else {
		if (l->apart)
			hb__clocks_align(l->recording);
		hb__recent_add(HB_RECENT_MADE, l->recording);
		hb__print_sum(l->recording, &sum);
	}
	hb__sum_free(&sum);
}

void hb__live_end(hb_live *l)
{
	if (l->one && hb__live_running(l)) {
		hb_error err;
		hb_session_kill(l->session);
		hb_session_again(l->session, NULL, &err);
	}
	if (!l->job)
		return;
	/* a script may have left its job behind on purpose; a launcher that is gone has not */
	if (hb__job_over(l->job) && !l->line.launcher)
		hb_session_let_go(l->session);
	else {
		hb__job_freeze(l->job);
		hb_session_kill(l->session);
	}
	hb__job_finish(l->job, &l->end);
	l->job = NULL;
	l->going = false;
	hb_session_poll(l->session, 0);
	if (!l->replay)
		keep_recording(l);
}

/* ---- keeping it in view ---- */

static bool everybody_is_there(hb_live *l)
{
	int32_t size = hb_session_size(l->session);
	for (int32_t i = 0; i < size; i++)
		if (hb_session_arrival(l->session, i) == HB_UNDERWAY)
			return false;
	return size > 0;
}

/* What some processes write for others is on all nodes. */
static void hand_on(hb_live *l)
{
	double now = hb_seconds();
	if (!l->apart || !l->replay || now - l->handed < HAND_ON_S)
		return;
	l->handed = now;
	hb__distributed_look(&l->away);
}

int hb__live_poll(hb_live *l, int ms)
{
	int changes = hb_session_poll(l->session, ms);
	hb__distant_say_lost(l->distant);
	if (!l->job)
		return changes;
	hb__live_look_at_stubs(l);
	hand_on(l);
	hb__live_look_at_reports(l);
	hb__live_look_at_waits(l);
	if (l->departures != hb_session_departures(l->session)) { /* a step, or some went on: another way */
		l->departures = hb_session_departures(l->session);
		l->went = hb_seconds();
		l->reached = -1;
		l->going = true;
	}
	if (l->going && everybody_is_there(l)) {
		l->reached = hb_seconds() - l->went;
		l->going = false;
		changes++;
	}
	if (hb__job_over(l->job)) {
		hb_session_poll(l->session, 0);
		if (l->apart && l->replay)
			hb__distributed_over(&l->away);
		hb__live_look_at_reports(l);
		hb__live_end(l);
		changes++;
	}
	return changes;
}

/* ---- stops ---- */

/* The recording that is replayed stays as it is, and so do names. */
static bool learn_numbers(hb_live *l)
{
	if (l->number || !l->replay || !l->run || !l->run->model)
		return l->number != NULL;
	uint32_t n = hb_model_get_info(l->run->model)->processes;
	int32_t size = hb_session_size(l->session), first, ranks = hb_session_ranks(l->session, &first);
	l->number = hb__alloc((n + 1) * sizeof *l->number);
	l->of_session = hb__alloc(((size_t)size + 1) * sizeof *l->of_session);
	memset(l->of_session, 0xff, ((size_t)size + 1) * sizeof *l->of_session);
	for (uint32_t i = 0; i < n; i++) {
		const hb_process *p = &hb_model_processes(l->run->model)[i];
		bool rank = *hb_rank_word(p->name) && !p->world && p->rank < ranks;
		l->number[i] = rank ? first + p->rank : hb_session_find(l->session, p->name, strlen(p->name));
		if (l->number[i] >= 0)
			l->of_session[l->number[i]] = i;
	}
	return true;
}

int32_t hb__live_number(hb_live *l, uint32_t process) { return learn_numbers(l) ? l->number[process] : -1; }

uint32_t hb__live_process(hb_live *l, int32_t number)
{
	return learn_numbers(l) && number >= 0 && number < hb_session_size(l->session) ? l->of_session[number] : HB_NO;
}

static hb_target target_of(hb_live *l, uint32_t line, uint32_t event, hb_stop stop)
{
	const hb_line *at = &hb_model_lines(l->run->model)[line];
	/* who was killed behind its last event does not end by itself in a replay: it may sleep for ever */
	bool ended = hb_model_processes(l->run->model)[at->process].ending != HB_ENDING_NONE;
	return (hb_target){.rank = hb__live_number(l, at->process),
		.lane = at->lane,
		.free = stop == HB_STOP_END && ended,
		.inside = stop == HB_STOP_INSIDE,
		.next = hb_model_processes(l->run->model)[at->process].nlines > 1,
		.event = stop == HB_STOP_NOTHING  ? 0
			 : stop == HB_STOP_INSIDE ? event - 1
						  : event};
}

static bool same_line(hb_live *l, uint32_t line, const hb_target *t)
{
	const hb_line *at = &hb_model_lines(l->run->model)[line];
	return t->lane == at->lane && t->rank == hb__live_number(l, at->process);
}

/* The targets of a cut; processes that MPI_Comm_spawn made are not replayed. Free *ret. */
static size_t targets_of(hb_live *l, const uint32_t *event, const hb_stop *stop, hb_target **ret)
{
	uint32_t lines = hb_model_get_info(l->run->model)->lines;
	size_t n = 0;
	*ret = hb__alloc((lines + 1) * sizeof **ret);
	for (uint32_t i = 0; i < lines; i++)
		if (hb__live_number(l, hb_model_lines(l->run->model)[i].process) >= 0)
			(*ret)[n++] = target_of(l, i, event[i], stop[i]);
	return n;
}

static int set_targets(hb_live *l, const hb_target *targets, size_t n)
{
	hb_error err = {0};
	return hb_session_stop_at(l->session, targets, n, &err) ? hb__fail_with(HB_EXIT_USAGE, "%s", err.message) : 0;
}

int hb__live_stop_at(hb_live *l, const uint32_t *event, const hb_stop *stop)
{
	hb_target *targets;
	size_t n = targets_of(l, event, stop, &targets);
	int code = set_targets(l, targets, n);
	free(targets);
	return code;
}

/* Whether a process is already behind its target, so that the replay must begin anew. */
static bool passed(const hb_live *l, const hb_target *t)
{
	const hb_proc *p = hb_session_proc(l->session, t->rank);
	if (!p || p->life == HB_LIFE_ABSENT || t->free)
		return false;
	if (p->life == HB_LIFE_EXITED || p->life == HB_LIFE_DEAD)
		return true;
	if (t->lane >= p->nthreads)
		return false;
	const hb_thread *thread = &p->threads[t->lane];
	if (thread->held && thread->why > HB_WHY_AFTER)
		return true;
	/* MPI_Init is over before anybody can be held; inside of the next event is further than after this one */
	uint64_t most = t->event + t->inside, entered = thread->event + thread->inside;
	uint64_t last = most || t->lane ? most : 1;
	/* one that has left its stop, by a step say, cannot be held there any more: only after the next event */
	bool left = entered == last && !thread->held && !thread->inside && !t->inside && !t->next && thread->lane_known;
	return entered > last || left || (t->inside && thread->event > t->event);
}

int hb__live_run_to_cut(hb_live *l, hb_at at, const uint32_t *event, const hb_stop *stop, bool *ret_restarted)
{
	hb_target *targets;
	l->went = hb_seconds();
	size_t n = targets_of(l, event, stop, &targets);
	/* The event itself: the process stands there even when it makes no further call. */
	for (size_t i = 0; i < n; i++)
		if (stop[at.line] == HB_STOP_END && same_line(l, at.line, &targets[i]))
			targets[i] = target_of(l, at.line, event[at.line], HB_STOP_AFTER);
	bool again = !l->job;
	for (size_t i = 0; i < n && !again; i++)
		again = passed(l, &targets[i]);
	*ret_restarted = again && l->job;
	int code = again ? hb__live_start(l) : 0;
	code = code ? code : set_targets(l, targets, n);
	if (!code) {
		double went = l->went;
		hb__live_go_all(l);
		l->went = went; /* the start counts, too */
	}
	free(targets);
	return code;
}

int hb__live_run_to(hb_live *l, hb_at at, bool *ret_restarted)
{
	uint32_t lines = hb_model_get_info(l->run->model)->lines, *event = hb__alloc((lines + 1) * sizeof *event);
	hb_stop *stop = hb__alloc((lines + 1) * sizeof *stop);
	hb_error err = {0};
	int code = hb_stops(l->run->model, at, event, stop, &err)
			   ? hb__fail_log(l->run->path, &err)
			   : hb__live_run_to_cut(l, at, event, stop, ret_restarted);
	free(event);
	free(stop);
	return code;
}

void hb__live_go_all(hb_live *l)
{
	hb_set all;
	hb_set_init(&all, hb_session_size(l->session));
	hb_set_all(&all);
	l->reached = -1;
	l->went = hb_seconds();
	hb_session_go(l->session, &all);
	l->departures = hb_session_departures(l->session);
	hb_set_free(&all);
	l->going = true;
}

/* ---- waiting ---- */

static volatile sig_atomic_t typed;
static void on_interrupt(int sig)
{
	(void)sig;
	typed = 1;
}

static bool give_up(void *user)
{
	hb_live *l = user;
	hb__live_poll(l, 0);
	return typed || !l->job;
}

bool hb__live_wait(hb_live *l, const hb_set *set, double seconds)
{
	struct sigaction mine = {.sa_handler = on_interrupt}, old;
	sigset_t interrupt, mask;
	typed = 0;
	sigemptyset(&interrupt);
	sigaddset(&interrupt, SIGINT);
	sigaction(SIGINT, &mine, &old);
	sigprocmask(SIG_UNBLOCK, &interrupt, &mask);
	bool there = hb_session_wait(l->session, set, seconds, 0, give_up, l);
	hb__live_poll(l, 0);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	sigaction(SIGINT, &old, NULL);
	return !typed && (there || !l->job);
}
