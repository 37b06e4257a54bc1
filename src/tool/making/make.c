/* From a command to its recording. */
#include "make.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../clocks/align.h"
#include "../found/found.h"
#include "../lasting/lasting.h"
#include "../store/made.h"
#include "../memory/recent.h"
#include "../store/find.h"
#include "../nodes/dying/first.h"
#include "../nodes/spread.h"
#include "../show/inert.h"
#include "../store/logs.h"
#include "format/trace/settings.h"
#include "deaths.h"
#include "keep.h"
#include "launch.h"
#include "traced.h"

/* What else could be done where no process called MPI_Init of a program that is not linked with it. */
static const char *hint_without_mpi(const hb_command_line *line, bool sockets)
{
	if (line->launcher)
		return sockets ? "" : "; how programs without MPI talk is recorded with --layers sockets";
	return sockets ? "; what it starts on other machines is recorded when the launcher is the command itself, as in 'hbdb record -- mpirun --host a,b ./program'"
		       : "; how programs without MPI talk is recorded by 'hbdb record -- COMMAND', without --check, --watch and --level order or racing";
}

/* Why a run left no log, as far as can be told from outside. sockets: they were looked for, too. */
static void say_nothing_recorded(const hb_command_line *line, unsigned layers, bool sockets, const hb_job_end *end)
{
	bool mpi = (layers & (HB_LAYER_MPI | HB_LAYER_SOCKETS)) == HB_LAYER_MPI;
	char *names = hb__layers_text(layers, ", ");
	const hb_program *p = &line->program;
	const char *path = p->path ? p->path : "the program";
	if (end->error)
		hb__say("nothing was recorded");
	else if (p->elf && p->is_static)
		hb__say("nothing was recorded: %s is linked statically; hbdb can only record programs that load libmpi as a shared library",
			path);
	else if (p->is_privileged)
		hb__say("nothing was recorded: %s is a set-user-id or set-group-id program, into which the system preloads nothing; run it as its owner",
			path);
	else if (!mpi && !(layers & HB_LAYER_MPI && (p->mpi || line->launcher)))
		hb__say("nothing was recorded: no process had an event of the layers that are recorded (%s)", names);
	else if (p->sessions)
		hb__say("nothing was recorded: %s starts MPI with sessions (MPI_Session_init) and never calls MPI_Init; the "
			"recording of such a program begins when it makes its first communicator from a group, and it made none",
			path);
	else if (p->elf && !p->mpi)
		hb__say("nothing was recorded: no process called MPI_Init (%s itself is not linked with an MPI library; is it an MPI program?)%s",
			path, hint_without_mpi(line, sockets));
	else if (end->status)
		hb__say("nothing was recorded: no process called MPI_Init before the command ended with status %d",
			end->status);
	else
		hb__say("nothing was recorded: no process called MPI_Init of %s (%s)", hb__mpi_name(line->mpi),
			line->why);
	free(names);
}

/* A job under way, for what is called while it runs. */
struct running {
	const hb_making *making;
	const hb_manifest *manifest;
	const char *recording;
	bool launched;
	hb_deaths *deaths;
	hb_first_death *first; /* over nodes, in its place */
	hb_sender *sender;     /* NULL: nothing is sent */
	hb_spread spread;
	char *mirror; /* where the logs of several nodes are seen while it runs; NULL: in the recording */
	hb_following *following;
};

static bool watch(void *user)
{
	struct running *r = user;
	return r->making->watch(r->making->user, r->mirror ? r->mirror : r->recording, r->launched);
}

static void starting(void *user)
{
	struct running *r = user;
	hb__write_manifest(r->manifest, r->recording);
	if (r->manifest->layers & HB_LAYER_SOCKETS)
		hb__share_folder(r->recording);
	hb__made_note(r->manifest);
	hb__recent_add(HB_RECENT_RUNNING, r->recording);
	if (r->spread.nodes.n)
		r->first = hb__first_death_begin(&r->spread.nodes);
	else
		r->deaths = hb__deaths_begin(r->recording, false);
	if (r->making->watch && r->spread.nodes.n) {
		r->mirror = hb__format("%s/.watched", r->recording);
		r->following = hb__nodes_follow(&r->spread.nodes, r->spread.nodes.folder, r->mirror, false);
	}
	/* where it cannot be sent, that is said, and the run goes on without */
	if (r->making->send)
		hb__sender_begin(r->making->send, &r->making->send_policy, r->recording, &r->sender);
}

static bool any_log(const char *recording)
{
	hb_logs logs;
	hb__list_logs(recording, &logs);
	bool any = logs.n > 0;
	hb__close_logs(&logs);
	return any;
}

/* What the process is called whose log has this rank and no PID in its name; NULL: it cannot be read. */
static char *name_of(const char *recording, int32_t rank)
{
	hb_logs logs;
	char *name = NULL;
	if (hb__list_logs(recording, &logs))
		return NULL;
	for (size_t i = 0; i < logs.n; i++)
		if (hb_log_open(logs.at[i].path, &logs.at[i].log, NULL))
			logs.at[i].log = NULL;
	hb__name_worlds(&logs);
	for (size_t i = 0; i < logs.n && logs.worlds.name; i++)
		if (!logs.at[i].pid && logs.at[i].rank == rank)
			name = hb__copy(logs.worlds.name[i]);
	hb__close_logs(&logs);
	return name;
}

/* After the job: what it left, sealed and said. first: rank of the process that died first; -1: not known. */
static void finish(const hb_making *making, const char *recording, const hb_command_line *line, hb_spread *spread,
	int32_t first, hb_manifest *m, hb_made *made)
{
	const hb_job_end *end = &made->end;
	hb_sum sum;
	char *names = NULL;
	bool sockets = m->layers & HB_LAYER_SOCKETS;
	m->died_first = first >= 0 && !spread->nodes.n ? name_of(recording, first) : NULL;
	m->open = !end->ended && hb__living(recording, m->layers, HB_DYING_MS, &names);
	if (m->open && hb__keep_open(recording, end, m)) {
		made->recording = hb__copy(recording);
		hb__recent_add(HB_RECENT_MADE, recording);
		char *word = hb__shell_word(hb__short(recording));
		hb__say("%s: recorded on: %s; 'hbdb record --stop %s' ends that", hb__short(recording), names, word);
		free(word);
		free(names);
		return;
	}
	free(names);
	if (sockets)
		hb__unshare_folder(recording);
	made->lost = !hb__spread_fetch(spread, recording, !making->raw && strcmp(m->level, "racing") != 0, m);
	if (spread->nodes.n)
		m->died_first = first >= 0 ? name_of(recording, first) : NULL;
	m->layers = hb__keep_found(recording, m->layers, !strcmp(m->level, "data"));
	if (made->lost && !any_log(recording)) { /* it is all to be fetched */
		m->finished = true;
		m->exit_status = end->status;
		m->seconds = end->seconds;
		hb__write_manifest(m, recording);
		return;
	}
	if (!hb__keep_recording(recording, end, !making->raw, m, &sum)) {
		say_nothing_recorded(line, m->layers, sockets, end);
		hb__sum_free(&sum);
		return;
	}
	if (spread->nodes.n)
		hb__clocks_align(recording);
	made->processes = sum.processes;
	made->events = sum.events;
	made->recording = hb__copy(recording);
	hb__recent_add(HB_RECENT_MADE, recording);
	if (end->signal && !end->ended)
		hb__say("the command was killed by signal %d (%s)", end->signal, strsignal(end->signal));
	if (line->processes && sum.size && line->processes != sum.size)
		hb__say("the command asked for %ld processes, but MPI_COMM_WORLD has %d: is %s built with %s?",
			line->processes, sum.size, line->program.path ? line->program.path : "it",
			hb__mpi_name(line->mpi));
	if (!sum.contents && !strcmp(m->level, "data"))
		hb__say("no contents were kept%s%s: hbdb info shows which ranks there were",
			m->data_ranks ? ": no process has a rank of --data-ranks " : "",
			m->data_ranks ? m->data_ranks : "");
	if (making->quiet)
		hb__print_notes(&sum);
	else
		hb__print_sum(recording, &sum);
	hb__sum_free(&sum);
}

/* What the processes read of the recording is on each node, too: *settings is its path there. 0, or the exit code after having said why not. */
static int spread_settings(hb_nodes *nodes, char **settings)
{
	hb_putting p = {.folder = nodes->folder};
	if (!nodes->n || !*settings)
		return 0;
	hb__put_add(&p, *settings, HB_SETTINGS_FILE);
	hb__nodes_put(nodes, &p);
	hb__put_free(&p);
	free(*settings);
	*settings = hb__format("%s/" HB_SETTINGS_FILE, nodes->folder);
	for (size_t i = 0; i < nodes->n; i++)
		if (nodes->at[i].lost)
			return hb__fail_with(HB_EXIT_USAGE, "the node %s does not get the settings of the trace: %s",
				nodes->at[i].name, nodes->at[i].lost);
	return 0;
}

static int run(
	const hb_making *making, const hb_command_line *line, const char *recording, hb_manifest *m, hb_made *made)
{
	struct running r = {.making = making,
		.manifest = m,
		.recording = recording,
		.launched = line->launcher != HB_LAUNCHER_NONE};
	char *settings = NULL;
	int code = hb__spread_begin(making->local, line, making->argv, m, &r.spread);
	if (!code && making->traced)
		code = hb__keep_trace_settings(making->traced, recording, &settings, &m->traced);
	code = code ? code : spread_settings(&r.spread.nodes, &settings);
	if (code) {
		free(settings);
		hb__spread_end(&r.spread);
		hb__remove_folder(recording);
		return code;
	}
	const hb_launch launch = {.line = line,
		.command = making->argv,
		.setup = {.mode = "record",
			.folder = r.spread.nodes.n ? r.spread.nodes.folder : recording,
			.level = m->level,
			.data_ranks = m->data_ranks,
			.layers = m->layers,
			.pack = making->pack,
			.digests = m->contents,
			.whole = m->whole,
			.remarks = making->remarks,
			.traced = settings,
			.ring = m->ring,
			.shake_us = m->shake_us},
		.out = making->out,
		.aslr = m->aslr,
		.watch = making->watch ? watch : NULL,
		.starting = starting,
		.user = &r};
	code = hb__launch(&launch, &made->end, NULL);
	free(settings);
	if (code) {
		hb__spread_end(&r.spread);
		hb__remove_folder(recording);
		return code;
	}
	hb__nodes_unfollow(r.following, true);
	free(r.mirror);
	int32_t first = r.first ? hb__first_death_end(r.first) : hb__deaths_end(r.deaths);
	/* of a launcher that was killed itself, or that ended the job for us, the first process says nothing */
	bool by_itself = !made->end.ended && !made->end.interrupted && !(line->launcher && made->end.signal);
	first = by_itself ? first : -1;
	if (made->end.random)
		hb__say("address space randomisation could not be switched off here: a replay may differ if the program sends addresses or sorts by them");
	hb__sender_flush(r.sender);
	finish(making, recording, line, &r.spread, first, m, made);
	hb__sender_end(r.sender);
	hb__spread_end(&r.spread);
	return 0;
}

/* Every call is stored, and nothing but what there is to be stored for check or for a comparison: how programs talk can be, too. */
static bool has_calls(const hb_making *making)
{
	return !making->remarks && !making->traced &&
	       (!making->level || !strcmp(making->level, "events") || !strcmp(making->level, "data"));
}

/* What is found: of a command that neither is a launcher of MPI nor a program linked with it, how its processes talk. */
static unsigned found_layers(const hb_making *making, const hb_command_line *line)
{
	bool mpi = line->launcher != HB_LAUNCHER_NONE || line->program.mpi;
	bool threads = !making->unordered && !making->remarks;
	return HB_LAYER_MPI | HB_LAYER_USER | (threads ? HB_LAYER_THREADS : 0) |
	       (making->inputs ? HB_LAYER_INPUTS : 0) |
	       (!mpi && has_calls(making) ? HB_LAYER_SOCKETS | (making->ring ? 0u : HB_LAYER_INPUTS | HB_LAYERS_FOUND)
					  : 0);
}

int hb__make(const hb_making *making, hb_made *ret)
{
	hb_command_line line;
	char *recording = NULL;
	*ret = (hb_made){0};
	hb__clean_environment();
	/* where MPI is not all that is recorded a command need not show which one it uses: it may have none */
	hb_mpi here = hb__path_mpi(), some = here ? here : HB_MPI_OPENMPI;
	bool asked = making->layers && (making->layers & (HB_LAYER_MPI | HB_LAYER_SOCKETS)) != HB_LAYER_MPI;
	bool found = !making->layers && has_calls(making) && !here;
	hb_mpi otherwise = asked || found ? some : HB_MPI_UNKNOWN;
	int code = hb__read_command_line(making->argv, hb__mpi_from_key(making->mpi), otherwise, &line);
	if (!code)
		code = hb__begin_recording(&line, making->argv, making->output, &recording);
	if (!code) {
		hb_manifest m = {.level = hb__copy(making->level ? making->level : "events"),
			.layers = making->layers ? making->layers : found_layers(making, &line),
			.data_ranks = making->data_ranks ? hb__copy(making->data_ranks) : NULL,
			.contents = making->contents,
			.whole = making->whole,
			/* on Debian 13 the address sanitizer and UCX do not agree on memory without it */
			.aslr = making->aslr || line.program.sanitized,
			.ring = making->ring,
			.shake_us = making->shake_us};
		if (!(m.layers & HB_LAYER_SOCKETS))
			hb__say_assumed(&line);
		hb__describe_recording(&line, making->argv, &m);
		bool busy;
		int held = hb__hold_folder(recording, &busy);
		code = run(making, &line, recording, &m, ret);
		if (held >= 0)
			close(held);
		hb__manifest_free(&m);
	}
	hb__command_line_free(&line);
	free(recording);
	return code;
}
