/* What the processes of a replay report about differences, and what a process is inside of. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/row.h"
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

/* The call that a lane of a raw log is in: by its slot, or as its event. */
static bool call_of_log(
	const char *path, uint32_t lane, uint64_t event, uint32_t slot, bool by_slot, char *ret, size_t size)
{
	hb_log *log;
	hb_cursor *cursor = NULL;
	hb_row row;
	if (hb_log_open(path, &log, NULL))
		return false;
	bool found = !hb_cursor_open(log, lane, event, &cursor, NULL) &&
		     (by_slot ? !hb_cursor_slot(cursor, slot, &row) : hb_cursor_next(cursor, &row, NULL) == 1);
	hb_lane_info ends;
	if (!found && !by_slot && cursor && !hb_log_lane(log, lane, &ends) && ends.inside && ends.events + 1 == event)
		/* the call that its thread never returned from: it has no row of its own */
		by_slot = found = !hb_cursor_slot(cursor, ends.inside_slot, &row);
	const hb_function *f = found ? hb_log_function(log, row.function) : NULL;
	if (f)
		snprintf(ret, size, "%s", f->name);
	for (uint32_t i = 0; f && i < f->nargs; i++) {
		bool source = !strcmp(f->arg_name[i], "source"), dest = !strcmp(f->arg_name[i], "dest");
		size_t n = strlen(ret);
		if (by_slot && (source || dest) && row.arg[i] >= 0)
			snprintf(ret + n, size - n, " %s %lld", source ? "from" : "to", (long long)row.arg[i]);
		else if (by_slot && source && row.arg[i] == HB_ANY_SOURCE)
			snprintf(ret + n, size - n, " from any");
	}
	hb_cursor_close(cursor);
	hb_log_close(log);
	return f != NULL;
}

/* How often each function was called so far; free it. */
static uint64_t *calls_of(const char *path, uint32_t *ret_n, hb_log **ret_log)
{
	uint32_t n = 0;
	*ret_n = 0;
	*ret_log = NULL;
	if (hb_log_open(path, ret_log, NULL))
		return NULL;
	n = hb_log_get_info(*ret_log)->functions;
	uint64_t *calls = hb__alloc((n + 1) * sizeof *calls);
	for (uint32_t i = 0; i < n; i++) {
		const hb_function *f = hb_log_function(*ret_log, i);
		calls[i] = f ? f->calls : 0;
	}
	*ret_n = n;
	return calls;
}

/* The function that was called most between two counts; HB_NO: none was. */
static uint32_t most_called(const uint64_t *before, uint32_t nbefore, const uint64_t *now, uint32_t nnow)
{
	uint32_t most = HB_NO;
	uint64_t most_calls = 0;
	for (uint32_t i = 0; i < nnow; i++) {
		uint64_t calls = now[i] - (i < nbefore ? before[i] : 0);
		if (calls > most_calls) {
			most_calls = calls;
			most = i;
		}
	}
	return most;
}

/* Which call is told no is not kept, for that would cost: but how often each function is called is counted. On a busy machine a process
 * that polls may have no processor for many looks. */
const char *hb__live_polls(hb_live *l, int32_t rank)
{
	const hb_proc *p = hb_session_proc(l->session, rank);
	char *path = hb__format("%s/%s", l->replay ? l->folder.folder : l->recording, p ? p->log : "");
	uint32_t nbefore, nnow, most = HB_NO;
	hb_log *log, *later = NULL;
	uint64_t *before = calls_of(path, &nbefore, &log), *now = NULL;
	for (int look = 0; look < POLLS_LOOKS && most == HB_NO; look++) {
		hb_session_poll(l->session, POLLS_MS);
		hb_log_close(later);
		free(now);
		now = calls_of(path, &nnow, &later);
		most = most_called(before, nbefore, now, nnow);
	}
	*l->inside = 0;
	if (most != HB_NO)
		snprintf(l->inside, sizeof l->inside, "%s", hb_log_function(later, most)->name);
	hb_log_close(log);
	hb_log_close(later);
	free(before);
	free(now);
	free(path);
	return *l->inside ? l->inside : NULL;
}

const char *hb__live_inside(hb_live *l, int32_t rank)
{
	const hb_proc *p = hb_session_proc(l->session, rank);
	if (!p || !p->nthreads || !p->threads[0].inside)
		return NULL;
	const hb_thread *t = &p->threads[0];
	/* the record of a replay is called as the log that the process writes now */
	char *path = hb__format("%s/%s", l->replay ? l->folder.script : l->recording, p->log);
	snprintf(l->inside, sizeof l->inside, "a call");
	call_of_log(path, 0, t->event + 1, t->slot, !l->replay, l->inside, sizeof l->inside);
	free(path);
	if (!l->replay || !l->run || !l->run->model)
		return l->inside;
	const hb_model *m = l->run->model;
	uint32_t process = hb__live_process(l, rank);
	const hb_process *of = process == HB_NO ? NULL : &hb_model_processes(m)[process];
	if (of && of->nlines && t->event < hb_model_lines(m)[of->first_line].events)
		add_needs(l, (hb_at){of->first_line, (uint32_t)t->event + 1});
	return l->inside;
}
