/* hbdb info, for people. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../findings/findings.h"
#include "../run/next.h"
#include "../show/inert.h"
#include "../store/clocks/clocks.h"
#include "info.h"
#include "talked.h"

static void print_command(const hb_manifest *m)
{
	if (m->imported_from) {
		printf("imported      %s, %s\n", m->imported_from, m->imported_file ? hb__tame(m->imported_file) : "?");
		if (m->imported_with)
			printf("merged with   %s\n", hb__tame(m->imported_with));
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
	if (m->kept)
		printf(", kept after %.3f s: the run went on\n", m->seconds);
	else if (m->finished)
		printf(", %.3f s, exit status %d%s\n", m->seconds, m->exit_status,
			m->open ? ", processes live on" : "");
	else
		printf(", the end of the run was not recorded\n");
	if (m->replay_of)
		printf("replay of     %s\n", hb__tame(m->replay_of));
}

static const char *process_name(const hb_facts *f, size_t log) { return f->logs.worlds.name[log]; }

/* A column of 15 letters. */
static void processor_text(const hb_facts *f, const hb_log *log, char *ret, size_t size)
{
	const hb_processor *p = hb_log_processor(log);
	char text[32];
	if (p)
		snprintf(text, sizeof text, "%.8s %.2u %s", hb__tame(p->name), p->word, p->big_endian ? "big" : "");
	else
		snprintf(text, sizeof text, "%s", f->manifest.imported_from ? "?" : "x86_64 64");
	snprintf(ret, size, "%-15s", text);
}

static void print_processes(const hb_facts *f)
{
	int width = 5;
	bool ranks = false, others = false;
	for (size_t i = 0; i < f->logs.n && i < HB_INFO_SHOWN; i++) {
		int length = (int)strlen(process_name(f, i));
		width = length > width ? length : width;
		ranks |= *hb_rank_word(process_name(f, i)) != 0;
		others |= f->logs.at[i].log && hb_log_processor(f->logs.at[i].log);
	}
	printf("\n%*s  %-16s %8s %12s %6s %12s  %s%s\n", width, ranks ? "rank" : "process", "host", "pid", "events",
		"lanes", "bytes", others ? "processor      " : "", "state");
	for (size_t i = 0, shown = 0; i < f->logs.n; i++) {
		if (!f->logs.at[i].log)
			continue;
		if (++shown > HB_INFO_SHOWN) {
			printf("%*s  and %zu more (--json lists all)\n", width, "", f->logs.n - i);
			break;
		}
		const hb_log_info *p = hb_log_get_info(f->logs.at[i].log);
		bool first = f->manifest.finished && f->manifest.died_first &&
			     !strcmp(f->manifest.died_first, process_name(f, i));
		const char *state = first && !p->state && !p->stopped ? "died first" : hb__state_text(&f->manifest, p);
		char processor[32] = "";
		if (others)
			processor_text(f, f->logs.at[i].log, processor, sizeof processor);
		printf("%*s  %-16s %8u %12llu %6u %12llu  %s%s\n", width, process_name(f, i), hb__tame(p->host), p->pid,
			(unsigned long long)p->events, p->lanes, (unsigned long long)p->bytes, processor, state);
	}
}

/* Of a world of which no maker is known. */
static const char *maker_text(const hb_facts *f, const hb_world *world)
{
	const hb_log *log = f->logs.at[world->log].log;
	if (world->spawned)
		return ", made by a process that was not recorded";
	if (!log || hb_log_get_info(log)->version < 2) /* such logs do not say who was spawned; their worlds are lone */
		return ", nor whether a process made it";
	return ", started by itself";
}

/* Worlds beside the one that was started: who made them. */
static void print_worlds(const hb_facts *f)
{
	const hb_worlds *w = &f->logs.worlds;
	for (uint32_t i = 0, shown = 0; i < w->n; i++) {
		const hb_world *world = &w->world[i];
		if (!world->number || world->outside)
			continue;
		if (shown++ == HB_INFO_SHOWN) {
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
static void print_inside(const hb_facts *f)
{
	size_t shown = 0;
	for (size_t i = 0; i < f->logs.n; i++) {
		hb_log *log = f->logs.at[i].log;
		for (uint32_t lane = 0; log && lane < hb_log_get_info(log)->lanes && shown < HB_INFO_SHOWN; lane++) {
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

static void print_calls(const hb_facts *f)
{
	if (f->ncalled)
		printf("\n%14s  %s\n", "calls", "function");
	for (size_t i = 0; i < f->ncalled; i++)
		printf("%14llu  %s\n", (unsigned long long)f->called[i].calls, hb__tame(f->called[i].name));
}

static void print_comms(const hb_facts *f)
{
	if (f->ncomms)
		printf("\n%14s  %s\n", "processes", "communicator");
	for (size_t i = 0; i < f->ncomms; i++) {
		const hb_community *c = &f->comms[i];
		if (i == HB_INFO_SHOWN) {
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
	printf("MPI           %s%s%s%s\n", hb__tame(name), *first ? " (" : "", hb__tame(first), *first ? ")" : "");
	free(first);
}

/* Where a run went wrong one asks why, else what could have been different. */
static void print_next(const hb_facts *f, bool wrong)
{
	static const char *const live[] = {"hang", "view", NULL}, *const bad[] = {"check", "view", NULL},
				 *const good[] = {"view", "races", NULL};
	if (!f->sum.processes)
		return;
	printf("\n");
	hb__put_next(stdout, NULL, f->name, NULL,
		f->has_manifest && (!f->manifest.finished || f->manifest.open) ? live
		: wrong                                                        ? bad
									       : good);
	printf("\n");
}

static void print_given_up(const hb_facts *f)
{
	uint64_t events = 0, processes = 0;
	for (size_t i = 0; i < f->logs.n; i++) {
		const hb_before *b = f->logs.at[i].log ? hb_log_before(f->logs.at[i].log) : NULL;
		events += b ? b->events : 0;
		processes += b != NULL;
	}
	if (processes)
		printf("given up      %llu events of %llu %s before those that are here (hbdb record --ring)\n",
			(unsigned long long)events, (unsigned long long)processes,
			hb__plural(processes, "process", "processes"));
}

static void print_nodes(const hb_manifest *m)
{
	size_t missing = 0, unkept = 0;
	if (!m->nnodes)
		return;
	for (size_t i = 0; i < m->nnodes; i++)
		missing += m->node[i].missing, unkept += m->node[i].unkept;
	printf("nodes         %zu", m->nnodes);
	for (size_t i = 0, shown = 0; i < m->nnodes && missing; i++)
		if (m->node[i].missing && shown++ < HB_INFO_SHOWN)
			printf("%s%s", shown == 1 ? "; missing: " : ", ", hb__tame(m->node[i].name));
	printf("%s\n", unkept ? " (not kept there)" : missing ? " (hbdb record --fetch)" : "");
}

/* By how much the clocks of its nodes were set. */
static void print_clocks(const char *recording)
{
	hb_clocks c;
	if (!hb__clocks_read(recording, &c))
		return;
	printf("clocks        of %zu nodes, set by %llu messages against that of %s\n", c.hosts,
		(unsigned long long)c.messages, c.hosts ? hb__tame(c.host[0].host) : "?");
	for (size_t i = 1; i < c.hosts && i <= HB_INFO_SHOWN; i++)
		if (c.host[i].known)
			printf("              %-16s %+.9f s, %+.3f ppm\n", hb__tame(c.host[i].host),
				c.host[i].shift_ns / 1e9, c.host[i].rate * 1e6);
		else
			printf("              %-16s not set: no messages in both directions\n",
				hb__tame(c.host[i].host));
	if (c.early)
		printf("              %llu messages arrive before they were sent all the same, by up to %.9f s: a clock was set, or did not run evenly\n",
			(unsigned long long)c.early, c.early_ns / 1e9);
	hb__clocks_free(&c);
}

void hb__info_text(const hb_facts *f)
{
	const hb_manifest *m = &f->manifest;
	printf("recording     %s\n", hb__tame(f->recording));
	if (f->has_manifest) {
		print_command(m);
		if (f->mpi || !f->logs.n)
			print_mpi(m->mpi ? m->mpi : "?", f->version_text ? f->version_text : "");
		else
			printf("MPI           none%s\n", f->talked.any ? "" : ": these are the program's own events");
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
		print_nodes(m);
		print_clocks(f->recording);
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
	hb__talked_text(f);
	print_processes(f);
	hb__print_contents_info(f->contents, &f->logs, &f->sum, HB_INFO_SHOWN);
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
	print_given_up(f);
	if (f->sum.stopped)
		printf("not stored    %llu events: %s\n", (unsigned long long)f->sum.lost,
			strerror(f->sum.stopped_errno));
	print_next(f, wrong);
}
