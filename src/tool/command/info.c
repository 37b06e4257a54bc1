/* hbdb info */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../contents/info.h"
#include "../findings/findings.h"
#include "../options.h"
#include "../remarks/remarks.h"
#include "../run/next.h"
#include "../show/inert.h"
#include "../show/line.h"
#include "../store/find.h"
#include "../store/logs.h"
#include "../store/manifest.h"
#include "../terminal.h"

const hb_option hb__info_options[] = {
	{"json", 0, HB_OPTION_FLAG, NULL, "print one JSON object"},
	{0},
};

#define SHOWN_MAX 24 /* processes and communicators on a page; the rest is counted */

struct called {
	const char *name;
	uint64_t calls;
	uint8_t cls;
};

/* A communicator as all processes see it: made of the parent's, by number and leader. */
struct community {
	char *identity;
	uint64_t processes, size, remote_size;
	int64_t number; /* in the first process that has it */
	int64_t parent;
	uint32_t flags, world;
	const char *name; /* that the program gave; NULL: none */
};

struct facts {
	const char *recording, *name; /* name: as the user gave it, NULL: not */
	hb_manifest manifest;
	bool has_manifest;
	hb_logs logs;
	hb_sum sum;
	hb_contents_info *contents; /* by log */
	uint64_t remarks;
	struct called *called;
	size_t ncalled;
	struct community *comms;
	size_t ncomms;
	const char *version_text;
	bool mpi; /* a process had some */
};

/* ---- gathering ---- */

static void count_calls(struct facts *f, const hb_log *log, const hb_log_info *info)
{
	for (uint32_t i = 0; i < info->functions; i++) {
		const hb_function *function = hb_log_function(log, i);
		size_t k = 0;
		if (!function || !function->name || !function->calls)
			continue;
		while (k < f->ncalled && strcmp(f->called[k].name, function->name))
			k++;
		if (k == f->ncalled) {
			f->called = hb__resize(f->called, (k + 1) * sizeof *f->called);
			f->called[f->ncalled++] = (struct called){function->name, 0, function->cls};
		}
		f->called[k].calls += function->calls;
	}
}

static char *identity_of(const struct facts *f, size_t at, int64_t number, int depth)
{
	const hb_log *log = f->logs.at[at].log;
	uint32_t world = f->logs.at[at].world;
	const hb_way *way = number >= 0 ? hb_worlds_way(&f->logs.worlds, at, (uint32_t)number) : NULL;
	if (way && way->crossing != HB_NO)
		return hb__format("between %u", way->crossing);
	const hb_comm *c = number > 1 && number < HB_NO && depth < 64 ? hb_log_comm(log, (uint32_t)number) : NULL;
	if (!c)
		return world ? hb__format("%lld@%u", (long long)number, world) : hb__format("%lld", (long long)number);
	char *parent = identity_of(f, at, c->parent, depth + 1);
	/* an intercommunicator has the same index and two leaders: its groups, ordered, are its identity */
	int32_t a = c->size && c->member ? c->member[0] : -1, b = c->remote_size && c->remote ? c->remote[0] : -1;
	char *identity =
		c->flags & 1 ? hb__format("%s/%llux%d,%d", parent, (unsigned long long)c->index, a < b ? a : b,
				       a < b ? b : a)
			     : hb__format("%s/%llu.%lld", parent, (unsigned long long)c->index, (long long)c->leader);
	free(parent);
	return identity;
}

/* With members of a world that comes before that of the log. */
static bool belongs_elsewhere(const struct facts *f, size_t log, const hb_comm *c)
{
	const hb_worlds *w = &f->logs.worlds;
	for (uint32_t i = 0; i < c->size; i++)
		if (hb_worlds_member(w, log, c->member[i]).world < w->of[log])
			return true;
	for (uint32_t i = 0; i < c->remote_size; i++)
		if (hb_worlds_member(w, log, c->remote[i]).world < w->of[log])
			return true;
	return false;
}

/* Communicators of several worlds are counted in the first of these. */
static void count_comms(struct facts *f, size_t at, const hb_log_info *info)
{
	const hb_log *log = f->logs.at[at].log;
	uint32_t world = f->logs.at[at].world;
	for (uint32_t i = 0; i < info->comms; i++) {
		const hb_comm *c = hb_log_comm(log, i);
		size_t k = 0;
		if (!c || i == 1 || belongs_elsewhere(f, at, c))
			continue;
		char *identity = identity_of(f, at, i, 0);
		while (k < f->ncomms && strcmp(f->comms[k].identity, identity))
			k++;
		if (k == f->ncomms) {
			f->comms = hb__resize(f->comms, (k + 1) * sizeof *f->comms);
			f->comms[f->ncomms++] = (struct community){
				hb__copy(identity), 0, c->size, c->remote_size, i, c->parent, c->flags, world, NULL};
		}
		f->comms[k].processes++;
		if (!f->comms[k].name)
			f->comms[k].name = hb_log_name(log, HB_NAMED_COMM, i);
		free(identity);
	}
}

static int by_calls(const void *a, const void *b)
{
	const struct called *x = a, *y = b;
	return x->calls != y->calls ? (x->calls < y->calls) - (x->calls > y->calls) : strcmp(x->name, y->name);
}

static void gather(struct facts *f)
{
	for (size_t i = 0; i < f->logs.n; i++) {
		hb_log *log = f->logs.at[i].log;
		if (!log)
			continue;
		const hb_log_info *info = hb_log_get_info(log);
		hb__add_log(log, f->logs.worlds.name ? f->logs.worlds.name[i] : NULL, &f->sum);
		f->remarks += hb__count_remarks(log);
		f->sum.bytes += info->bytes;
		count_calls(f, log, info);
		count_comms(f, i, info);
		if (!f->version_text)
			f->version_text = info->version_text;
		f->mpi = f->mpi || info->library;
	}
	hb__add_missing(&f->logs.worlds, &f->sum);
	if (f->ncalled)
		qsort(f->called, f->ncalled, sizeof *f->called, by_calls);
}

/* ---- text ---- */

static void print_command(const hb_manifest *m)
{
	if (m->imported_from) {
		printf("imported      %s, %s\n", m->imported_from, m->imported_file ? hb__tame(m->imported_file) : "?");
		printf("started       %s, %.3f s\n", m->started ? hb__tame(m->started) : "?", m->seconds);
		return;
	}
	printf("command       ");
	for (size_t i = 0; i < m->command.n; i++) {
		char *word = hb__shell_word(m->command.at[i]);
		printf("%s%s", i ? " " : "", word);
		free(word);
	}
	printf("\nfolder        %s\n", m->folder ? hb__tame(m->folder) : "?");
	printf("started       %s", m->started ? hb__tame(m->started) : "?");
	if (m->finished)
		printf(", %.3f s, exit status %d%s\n", m->seconds, m->exit_status,
			m->open ? ", processes live on" : "");
	else
		printf(", the end of the run was not recorded\n");
	if (m->replay_of)
		printf("replay of     %s\n", hb__tame(m->replay_of));
}

static const char *process_name(const struct facts *f, size_t log) { return f->logs.worlds.name[log]; }

static void print_processes(const struct facts *f)
{
	int width = 5;
	bool ranks = false;
	for (size_t i = 0; i < f->logs.n && i < SHOWN_MAX; i++) {
		int length = (int)strlen(process_name(f, i));
		width = length > width ? length : width;
		ranks |= *hb_rank_word(process_name(f, i)) != 0;
	}
	printf("\n%*s  %-16s %8s %12s %6s %12s  %s\n", width, ranks ? "rank" : "process", "host", "pid", "events",
		"lanes", "bytes", "state");
	for (size_t i = 0, shown = 0; i < f->logs.n; i++) {
		if (!f->logs.at[i].log)
			continue;
		if (++shown > SHOWN_MAX) {
			printf("%*s  and %zu more (--json lists all)\n", width, "", f->logs.n - i);
			break;
		}
		const hb_log_info *p = hb_log_get_info(f->logs.at[i].log);
		bool first = f->manifest.finished && f->manifest.died_first &&
			     !strcmp(f->manifest.died_first, process_name(f, i));
		const char *state = first && !p->state && !p->stopped ? "died first" : hb__state_text(p);
		printf("%*s  %-16s %8u %12llu %6u %12llu  %s\n", width, process_name(f, i), hb__tame(p->host), p->pid,
			(unsigned long long)p->events, p->lanes, (unsigned long long)p->bytes, state);
	}
}

/* Of a world of which no maker is known. */
static const char *maker_text(const struct facts *f, const hb_world *world)
{
	const hb_log *log = f->logs.at[world->log].log;
	if (world->spawned)
		return ", made by a process that was not recorded";
	if (!log || hb_log_get_info(log)->version < 2) /* such logs do not say who was spawned; their worlds are lone */
		return ", nor whether a process made it";
	return ", started by itself";
}

/* Worlds beside the one that was started: who made them. */
static void print_worlds(const struct facts *f)
{
	const hb_worlds *w = &f->logs.worlds;
	for (uint32_t i = 0, shown = 0; i < w->n; i++) {
		const hb_world *world = &w->world[i];
		if (!world->number || world->outside)
			continue;
		if (shown++ == SHOWN_MAX) {
			printf("              and %u more worlds (--json lists all)\n", w->n - i);
			break;
		}
		printf("%sworld %-6u  ", shown == 1 ? "\n" : "", world->number);
		if (world->lone)
			printf("one process: which others it belongs to is not known");
		else
			printf("%u %s", world->size, hb__plural(world->size, "process", "processes"));
		if (world->maker.world != HB_NO && w->world[world->maker.world].number)
			printf(", made by %d@%u\n", world->maker.rank, w->world[world->maker.world].number);
		else if (world->maker.world != HB_NO)
			printf(", made by rank %d\n", world->maker.rank);
		else
			printf("%s\n", maker_text(f, world));
	}
}

/* Threads that never came back from a call: where a hung or killed run stood. */
static void print_inside(const struct facts *f)
{
	size_t shown = 0;
	for (size_t i = 0; i < f->logs.n; i++) {
		hb_log *log = f->logs.at[i].log;
		for (uint32_t lane = 0; log && lane < hb_log_get_info(log)->lanes && shown < SHOWN_MAX; lane++) {
			hb_lane_info info;
			hb_events *events;
			hb_event ev;
			if (hb_log_lane(log, lane, &info) || !info.inside || hb_events_open(log, lane, &events, NULL))
				continue;
			while (hb_events_next(events, &ev, NULL) == 1)
				;
			if (hb_events_inside(events, &ev) == 1) {
				const char *name = process_name(f, i);
				printf("%s%s%s never returned from %s, which it called after event %llu\n",
					shown++ ? "" : "\n", hb_rank_word(name), name, hb__tame(ev.function->name),
					(unsigned long long)info.events);
			}
			hb_events_close(events);
		}
	}
}

static void print_calls(const struct facts *f)
{
	if (f->ncalled)
		printf("\n%14s  %s\n", "calls", "function");
	for (size_t i = 0; i < f->ncalled; i++)
		printf("%14llu  %s\n", (unsigned long long)f->called[i].calls, hb__tame(f->called[i].name));
}

static void print_comms(const struct facts *f)
{
	if (f->ncomms)
		printf("\n%14s  %s\n", "processes", "communicator");
	for (size_t i = 0; i < f->ncomms; i++) {
		const struct community *c = &f->comms[i];
		if (i == SHOWN_MAX) {
			printf("%14s  and %zu more (--json lists all)\n", "", f->ncomms - i);
			break;
		}
		printf("%14llu  ", (unsigned long long)(c->size + c->remote_size));
		if (c->number == 0 && c->world)
			printf("WORLD@%u", c->world);
		else if (c->number == 0)
			printf("WORLD");
		else
			printf("%lld%s, made from %s%.0lld", (long long)c->number,
				c->flags & 1 ? " (intercommunicator)" : "",
				c->parent == 0   ? c->world ? "its WORLD" : "WORLD"
				: c->parent == 1 ? "SELF"
				: c->parent < 0  ? "none"
						 : "",
				c->parent > 1 ? (long long)c->parent : 0LL);
		if (c->name)
			printf(", named \"%s\"", hb__tame(c->name));
		printf("\n");
	}
}

/* The libraries tell their version in many lines and with tabs: the first line will do. */
static void print_mpi(const char *name, const char *version)
{
	char *first = hb__format("%.*s", (int)strcspn(version, "\n,"), version);
	for (char *tab = first; (tab = strchr(tab, '\t'));)
		*tab = ' ';
	printf("MPI           %s (%s)\n", hb__tame(name), hb__tame(first));
	free(first);
}

/* Where a run went wrong one asks why, else what could have been different. */
static void print_next(const struct facts *f, bool wrong)
{
	static const char *const live[] = {"hang", "view", NULL}, *const bad[] = {"check", "view", NULL},
				 *const good[] = {"view", "races", NULL};
	if (!f->sum.processes)
		return;
	printf("\n");
	hb__put_next(stdout, f->name, NULL,
		f->has_manifest && (!f->manifest.finished || f->manifest.open) ? live
		: wrong                                                        ? bad
									       : good);
	printf("\n");
}

static void print_text(const struct facts *f)
{
	const hb_manifest *m = &f->manifest;
	printf("recording     %s\n", hb__tame(f->recording));
	if (f->has_manifest) {
		print_command(m);
		if (f->mpi || !f->logs.n)
			print_mpi(m->mpi ? m->mpi : "?", f->version_text ? f->version_text : "");
		else
			printf("MPI           none: these are the program's own events\n");
		printf("level         %s%s%s%s%s%s%s\n", m->level ? hb__tame(m->level) : "?",
			m->data_ranks ? ", contents of ranks " : "", m->data_ranks ? hb__tame(m->data_ranks) : "",
			m->traced ? ", traced at level " : "", m->traced ? hb__tame(m->traced) : "",
			m->contents ? "" : ", contents not checked", m->aslr ? ", address space randomised" : "");
		char *layers = m->layers ? hb__layers_text(m->layers, ", ") : NULL;
		if (layers)
			printf("layers        %s\n", layers);
		free(layers);
		if (m->program.path)
			printf("program       %s\n", hb__tame(m->program.path));
	}
	printf("processes     %llu", (unsigned long long)f->sum.processes);
	if (f->sum.size && f->sum.processes < (uint64_t)f->sum.size)
		printf(" of %d", f->sum.size);
	printf("\nevents        %llu in %llu bytes", (unsigned long long)f->sum.events,
		(unsigned long long)f->sum.bytes);
	if (f->sum.events)
		printf(", %.2f per event", (double)f->sum.bytes / (double)f->sum.events);
	printf("\n");
	if (f->remarks)
		printf("remarks       %llu (hbdb dump --remarks prints them)\n", (unsigned long long)f->remarks);
	if (f->sum.racing)
		printf("receives      %llu of %llu wildcard receives are stored\n", (unsigned long long)f->sum.kept,
			(unsigned long long)(f->sum.kept + f->sum.skipped));
	print_processes(f);
	hb__print_contents_info(f->contents, &f->logs, &f->sum, SHOWN_MAX);
	print_worlds(f);
	char *ending = hb__ending_text(m, &f->logs, !f->has_manifest || (m->finished && !m->open));
	if (ending)
		printf("\n%s\n", hb__tame(ending));
	bool wrong = ending != NULL;
	free(ending);
	print_inside(f);
	print_calls(f);
	print_comms(f);
	for (size_t i = 0; i < f->sum.nnotes; i++)
		printf("%snot covered   %llu %s: %s\n", i ? "" : "\n", (unsigned long long)f->sum.notes[i].processes,
			hb__plural(f->sum.notes[i].processes, "process", "processes"), hb__tame(f->sum.notes[i].text));
	for (size_t i = 0; i < f->sum.trouble.n; i++)
		printf("%strouble       %s\n", i ? "" : "\n", hb__tame(f->sum.trouble.at[i]));
	if (f->sum.stopped)
		printf("not stored    %llu events: %s\n", (unsigned long long)f->sum.lost,
			strerror(f->sum.stopped_errno));
	print_next(f, wrong);
}

/* ---- JSON ---- */

static void field(hb_output *o, bool first, const char *name, const char *value)
{
	hb__put_text(o, first ? "" : ",");
	hb__put_json(o, name);
	hb__put_char(o, ':');
	if (value)
		hb__put_json(o, value);
	else
		hb__put_text(o, "null");
}

static void field_number(hb_output *o, bool first, const char *name, int64_t value)
{
	hb__put_text(o, first ? "" : ",");
	hb__put_json(o, name);
	hb__put_char(o, ':');
	hb__put_int(o, value);
}

static void field_list(hb_output *o, const char *name, const hb_strings *list)
{
	hb__put_text(o, ",");
	hb__put_json(o, name);
	hb__put_text(o, ":[");
	for (size_t i = 0; i < list->n; i++) {
		hb__put_text(o, i ? "," : "");
		hb__put_json(o, list->at[i]);
	}
	hb__put_char(o, ']');
}

static void json_run(hb_output *o, const struct facts *f)
{
	const hb_manifest *m = &f->manifest;
	hb__put_char(o, '{');
	field(o, true, "recording", f->recording);
	field_list(o, "command", &m->command);
	field(o, false, "folder", m->folder);
	field(o, false, "started", m->started);
	field(o, false, "mpi", f->mpi || !f->logs.n ? m->mpi : NULL);
	field(o, false, "mpi_version", f->version_text);
	field(o, false, "level", m->level);
	hb_strings layers = hb__layer_names(m->layers);
	if (layers.n)
		field_list(o, "layers", &layers);
	hb__strings_free(&layers);
	if (m->data_ranks)
		field(o, false, "data_ranks", m->data_ranks);
	if (m->traced)
		field(o, false, "traced", m->traced);
	field(o, false, "program", m->program.path);
	field(o, false, "hbdb", m->version);
	field(o, false, "replay_of", m->replay_of);
	field(o, false, "imported_from", m->imported_from);
	field(o, false, "imported_file", m->imported_file);
	if (m->finished) {
		field_number(o, false, "exit_status", m->exit_status);
		if (m->open)
			hb__put_text(o, ",\"open\":true");
		field_number(o, false, "duration_ns", (int64_t)(m->seconds * 1e9));
		if (m->died_first && !m->died_first[strspn(m->died_first, "0123456789")])
			field_number(o, false, "died_first", strtol(m->died_first, NULL, 10));
		else if (m->died_first)
			field(o, false, "died_first", m->died_first);
	}
	field_number(o, false, "world_size", f->sum.size);
	field_number(o, false, "events", (int64_t)f->sum.events);
	field_number(o, false, "remarks", (int64_t)f->remarks);
	field_number(o, false, "bytes", (int64_t)f->sum.bytes);
	field_number(o, false, "events_not_stored", (int64_t)f->sum.lost);
	if (f->sum.racing) {
		field_number(o, false, "wildcard_receives", (int64_t)(f->sum.kept + f->sum.skipped));
		field_number(o, false, "wildcard_receives_stored", (int64_t)f->sum.kept);
	}
}

static void json_processes(hb_output *o, const struct facts *f)
{
	bool first = true;
	hb__put_text(o, ",\"processes\":[");
	for (size_t i = 0; i < f->logs.n; i++) {
		if (!f->logs.at[i].log)
			continue;
		const hb_log_info *p = hb_log_get_info(f->logs.at[i].log);
		hb__put_text(o, first ? "{" : ",{");
		first = false;
		field_number(o, true, "rank", p->rank);
		if (f->logs.at[i].world)
			field_number(o, false, "world", f->logs.at[i].world);
		field(o, false, "name", process_name(f, i));
		field(o, false, "host", p->host);
		field_number(o, false, "pid", p->pid);
		field(o, false, "state", hb__state_text(p));
		field_number(o, false, "events", (int64_t)p->events);
		field_number(o, false, "lanes", p->lanes);
		field_number(o, false, "bytes", (int64_t)p->bytes);
		field_number(o, false, "thread_level", p->thread_level);
		field(o, false, "program", p->program);
		hb__put_text(o, p->sealed ? ",\"sealed\":true" : ",\"sealed\":false");
		if (p->stopped)
			field(o, false, "stopped", strerror((int)p->stopped));
		if (p->recovered)
			field(o, false, "trouble", p->trouble);
		if (hb__has_contents(&f->contents[i]))
			hb__put_contents_members(o, &f->contents[i]);
		hb__put_char(o, '}');
	}
	hb__put_char(o, ']');
}

static void json_worlds(hb_output *o, const struct facts *f)
{
	const hb_worlds *w = &f->logs.worlds;
	hb__put_text(o, ",\"worlds\":[");
	for (uint32_t i = 0; i < w->n; i++) {
		hb_named_process maker = w->world[i].maker;
		hb__put_text(o, i ? ",{" : "{");
		field_number(o, true, "number", w->world[i].number);
		field_number(o, false, "size", w->world[i].size);
		if (maker.world != HB_NO) {
			field_number(o, false, "maker_world", w->world[maker.world].number);
			field_number(o, false, "maker_rank", maker.rank);
		}
		hb__put_char(o, '}');
	}
	hb__put_char(o, ']');
}

static void print_json(const struct facts *f)
{
	hb_output *o = hb__alloc(sizeof *o);
	o->fd = 1;
	json_run(o, f);
	json_processes(o, f);
	json_worlds(o, f);
	hb__put_text(o, ",\"calls\":{");
	for (size_t i = 0; i < f->ncalled; i++)
		field_number(o, !i, f->called[i].name, (int64_t)f->called[i].calls);
	hb__put_text(o, "},\"communicators\":[");
	for (size_t i = 0; i < f->ncomms; i++) {
		hb__put_text(o, i ? ",{" : "{");
		field(o, true, "identity", f->comms[i].identity);
		field_number(o, false, "number", f->comms[i].number);
		field_number(o, false, "parent", f->comms[i].parent);
		field_number(o, false, "size", (int64_t)f->comms[i].size);
		field_number(o, false, "remote_size", (int64_t)f->comms[i].remote_size);
		field_number(o, false, "seen_in", (int64_t)f->comms[i].processes);
		if (f->comms[i].name)
			field(o, false, "name", f->comms[i].name);
		hb__put_char(o, '}');
	}
	char text[HB_WORLDS_TEXT];
	hb__put_text(o, "],\"missing\":[");
	for (uint32_t i = 0; hb_worlds_missing(&f->logs.worlds, i, text); i++) {
		hb__put_text(o, i ? "," : "");
		hb__put_json(o, text);
	}
	hb__put_text(o, "],\"not_covered\":[");
	for (size_t i = 0; i < f->sum.nnotes; i++) {
		hb__put_text(o, i ? ",{" : "{");
		field(o, true, "text", f->sum.notes[i].text);
		field_number(o, false, "processes", (int64_t)f->sum.notes[i].processes);
		hb__put_char(o, '}');
	}
	hb__put_text(o, "]}\n");
	hb__flush(o);
	free(o);
}

static void release(struct facts *f)
{
	for (size_t i = 0; i < f->ncomms; i++)
		free(f->comms[i].identity);
	free(f->comms);
	free(f->contents);
	free(f->called);
	hb__sum_free(&f->sum);
	hb__close_logs(&f->logs);
	hb__manifest_free(&f->manifest);
}

int hb__info(const hb_args *args)
{
	char *recording;
	struct facts f = {0};
	signal(SIGPIPE, SIG_IGN);
	int code = hb__find_recording(args->operand, &recording);
	if (code)
		return code;
	f.recording = hb__short(recording);
	f.name = args->operand;
	f.has_manifest = !hb__manifest_read(recording, &f.manifest);
	code = hb__open_logs(recording, &f.logs);
	if (!code && (!f.has_manifest || !hb__logs_whole(&f.logs)))
		code = HB_EXIT_RECORDING;
	gather(&f);
	f.contents = hb__gather_contents(&f.logs, &f.sum, &code);
	hb__page();
	if (hb__option_value(args, "json"))
		print_json(&f);
	else
		print_text(&f);
	release(&f);
	free(recording);
	return code;
}
