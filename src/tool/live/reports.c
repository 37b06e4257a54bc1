/* What the processes of a replay report about differences, and what a process is inside of. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../watch/lanes.h"
#include "parts.h"

void hb__live_free_reports(hb_live *l)
{
	free(l->reports.seen);
	free(l->reports.over);
	free(l->reports.printed);
	l->reports = (hb_reports){0};
}

void hb__live_begin_reports(hb_live *l)
{
	size_t size = (size_t)l->folder.size + 1;
	hb__live_free_reports(l);
	l->differences = 0;
	if (!l->replay)
		return;
	l->reports = (hb_reports){.folder = l->folder.folder,
		.size = l->folder.size,
		.seen = hb__alloc(size),
		.over = hb__alloc(size * sizeof(bool)),
		.foreign = -1,
		.printed = hb__alloc(size * sizeof(size_t))};
}

/* Standing still is what a debugger is for: only differences are told. */
void hb__live_look_at_reports(hb_live *l)
{
	if (!l->replay)
		return;
	uint64_t others = l->reports.count[HB_REPORT_CONTENTS];
	hb__look_for_reports(&l->reports);
	if (!others && l->reports.count[HB_REPORT_CONTENTS])
		hb__print_contents(&l->reports);
	if (l->reports.count[HB_REPORT_DIVERGENCE] == l->differences)
		return;
	l->differences = l->reports.count[HB_REPORT_DIVERGENCE];
	hb__print_reports(&l->reports, HB_REPORT_DIVERGENCE);
}

bool hb__live_differs(const hb_live *l) { return l->differences > 0; }

/* ---- inside ---- */

#define POLLS_MS 20    /* between two looks at who polls */
#define POLLS_LOOKS 50 /* as many looks until somebody is said to poll without it being known what */

static void add(hb_live *l, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(hb_live *l, const char *format, ...)
{
	size_t n = strlen(l->inside);
	va_list args;
	va_start(args, format);
	vsnprintf(l->inside + n, sizeof l->inside - n, format, args);
	va_end(args);
}

static const char *name_of(const hb_live *l, uint32_t line)
{
	const hb_model *m = l->run->model;
	return hb_model_processes(m)[hb_model_lines(m)[line].process].name;
}

/* The ranks that have yet to enter a collective, as far as the session knows: the first few. */
static void add_missing(hb_live *l, uint32_t collective)
{
	const hb_model *m = l->run->model;
	const hb_group *g = &hb_model_groups(m)[hb_model_collectives(m)[collective].group];
	int told = 0;
	for (uint32_t i = 0; i < g->size && told < 4; i++) {
		if (g->member[i] == HB_NO)
			continue;
		hb_at at = hb_collective_enter(m, collective, g->member[i]);
		const hb_proc *p = hb_session_proc(l->session, hb__live_number(l, g->member[i]));
		if (at.line == HB_NO || !p || !p->nthreads || p->threads[0].event + p->threads[0].inside >= at.event)
			continue;
		add(l, "%s%s", told++ ? ", " : " without ", p->name);
	}
}

/* What the recorded run needed for the event to end. */
static void add_needs(hb_live *l, hb_at at)
{
	const hb_model *m = l->run->model;
	uint64_t n, from = 0;
	const hb_op *ops = hb_model_ops(m, at.line, &n);
	for (uint64_t to = n; from < to;) {
		uint64_t middle = (from + to) / 2;
		if (ops[middle].event < at.event)
			from = middle + 1;
		else
			to = middle;
	}
	for (int told = 0; from < n && ops[from].event == at.event && told < 4; from++) {
		uint32_t send = HB_NO;
		if (ops[from].kind == HB_OP_RECEIVED)
			send = hb_model_receives(m)[ops[from].id].send;
		else if (ops[from].kind == HB_OP_PROBED)
			send = hb_model_probes(m)[ops[from].id].send;
		else if (ops[from].kind == HB_OP_LEAVE)
			add_missing(l, ops[from].id);
		else if (ops[from].kind == HB_OP_SENT && hb_model_sends(m)[ops[from].id].receive != HB_NO)
			add(l, "%s%s", told++ ? ", " : " to ",
				name_of(l, hb_receive_post(m, hb_model_sends(m)[ops[from].id].receive).line));
		if (ops[from].kind == HB_OP_TOLD)
			add(l, "%s%s", told++ ? ", " : " for ", name_of(l, hb_model_edges(m)[ops[from].id].from.line));
		if (send != HB_NO)
			add(l, "%s%s", told++ ? ", " : " from ", name_of(l, hb_send_at(m, send).line));
	}
}

/* The function that was called most between two counts; NULL: none was. A log has new functions behind those that it had. */
static const char *most_called(const hb_called *before, size_t nbefore, const hb_called *now, size_t nnow)
{
	const char *most = NULL;
	uint64_t most_calls = 0;
	for (size_t i = 0; i < nnow; i++) {
		uint64_t calls = now[i].calls - (i < nbefore ? before[i].calls : 0);
		if (calls > most_calls) {
			most_calls = calls;
			most = now[i].name;
		}
	}
	return most;
}

static hb_called *calls_of(hb_live *l, const hb_proc *p, size_t *ret_n)
{
	if (l->apart)
		return hb__distant_calls(l->distant, p->host, p->log, ret_n);
	char *path = hb__format("%s/%s", l->replay ? l->folder.folder : l->recording, p->log);
	hb_called *calls = hb__calls_of_log(path, ret_n);
	free(path);
	return calls;
}

/* Which call is told no is not kept, for that would cost: but how often each function is called is counted. On a busy machine a process
 * that polls may have no processor for many looks. */
const char *hb__live_polls(hb_live *l, int32_t rank)
{
	const hb_proc *p = hb_session_proc(l->session, rank);
	bool found = false;
	size_t nbefore, nnow;
	if (!p)
		return NULL;
	hb_called *before = calls_of(l, p, &nbefore);
	for (int look = 0; look < POLLS_LOOKS && !found; look++) {
		hb_session_poll(l->session, POLLS_MS);
		hb_called *now = calls_of(l, p, &nnow);
		const char *most = most_called(before, nbefore, now, nnow);
		found = most != NULL;
		if (found)
			snprintf(l->inside, sizeof l->inside, "%s", most);
		hb__calls_free(now, nnow);
	}
	hb__calls_free(before, nbefore);
	return found ? l->inside : NULL;
}

/* The call that it is inside of, of a run that is recorded: by the slot in its log. */
static void add_call_recorded(hb_live *l, const hb_proc *p)
{
	const hb_thread *t = &p->threads[0];
	if (l->apart) {
		char *text = hb__distant_inside(l->distant, p->host, p->log, 0, t->event + 1, t->slot);
		if (text)
			snprintf(l->inside, sizeof l->inside, "%s", text);
		free(text);
		return;
	}
	char *path = hb__format("%s/%s", l->recording, p->log);
	hb__call_of_log(path, 0, t->event + 1, t->slot, true, l->inside, sizeof l->inside);
	free(path);
}

const char *hb__live_inside(hb_live *l, int32_t rank)
{
	const hb_proc *p = hb_session_proc(l->session, rank);
	if (!p || !p->nthreads || !p->threads[0].inside)
		return NULL;
	const hb_thread *t = &p->threads[0];
	snprintf(l->inside, sizeof l->inside, "a call");
	if (!l->replay) {
		add_call_recorded(l, p);
		return l->inside;
	}
	/* the record of a replay is called as the log that the process writes now */
	char *path = hb__format("%s/%s", l->folder.script, p->log);
	hb__call_of_log(path, 0, t->event + 1, t->slot, false, l->inside, sizeof l->inside);
	free(path);
	if (!l->run || !l->run->model)
		return l->inside;
	const hb_model *m = l->run->model;
	uint32_t process = hb__live_process(l, rank);
	const hb_process *of = process == HB_NO ? NULL : &hb_model_processes(m)[process];
	if (of && of->nlines && t->event < hb_model_lines(m)[of->first_line].events)
		add_needs(l, (hb_at){of->first_line, (uint32_t)t->event + 1});
	return l->inside;
}
