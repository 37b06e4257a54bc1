/* The calls of a lane in the order of time. Rows stand where calls returned, so a call that ran others inside (a
 * user's callback that calls MPI) stands behind them; formats with nested regions want its begin before them. A first
 * pass over the rows finds such calls. */
#include <stdlib.h>

#include "export.h"

#define REMEMBERED 4096 /* calls of one level that may have run inside one call; of more, the begin is told late */

/* A call with others inside. */
struct outer {
	uint64_t first, number; /* the first inside, itself */
	uint64_t enter;
	uint32_t function, site;
};

struct nests {
	struct outer *at;
	size_t n;
};

struct walk {
	hb_export *x;
	hb_call call;
	hb_view *view;
	hb_point *point;
	void *user;
	int64_t now;
	struct nests nests;
	size_t next;    /* outer whose begin comes next */
	uint64_t *open; /* numbers of those that have begun, the innermost last */
	size_t nopen;
	const hb_op *ops;
	uint64_t nops, op;
	const char *path;
};

/* The last calls of the outermost level so far, a ring. */
struct ring {
	struct {
		uint64_t enter, first;
	} at[REMEMBERED];
	uint64_t n;
};

static void add_outer(struct nests *nests, const hb_row *row, uint64_t first)
{
	nests->at = hb__resize(nests->at, (nests->n + 1) * sizeof *nests->at);
	nests->at[nests->n++] = (struct outer){first, row->number, row->enter, row->function, row->site};
}

/* In the order of their begins. */
static int by_begin(const void *a, const void *b)
{
	const struct outer *x = a, *y = b;
	if (x->first != y->first)
		return x->first < y->first ? -1 : 1;
	return x->number > y->number ? -1 : x->number < y->number;
}

static int find_nests(hb_log *log, uint32_t lane, struct nests *ret, hb_error *err)
{
	hb_cursor *cursor;
	hb_row row;
	uint64_t exit = 0;
	int got;
	if (hb_cursor_open(log, lane, 1, &cursor, err))
		return -1;
	struct ring *ring = hb__alloc(sizeof *ring);
	while ((got = hb_cursor_next(cursor, &row, err)) == 1) {
		uint64_t first = row.number, kept = ring->n > REMEMBERED ? ring->n - REMEMBERED : 0;
		if (row.enter < exit)
			for (; ring->n > kept && ring->at[(ring->n - 1) % REMEMBERED].enter >= row.enter; ring->n--)
				first = ring->at[(ring->n - 1) % REMEMBERED].first;
		if (first != row.number)
			add_outer(ret, &row, first);
		ring->at[ring->n % REMEMBERED].enter = row.enter;
		ring->at[ring->n++ % REMEMBERED].first = first;
		exit = row.exit;
	}
	free(ring);
	hb_cursor_close(cursor);
	if (ret->n)
		qsort(ret->at, ret->n, sizeof *ret->at, by_begin);
	return got;
}

static void tell(struct walk *w, uint64_t ticks, bool end)
{
	int64_t ns = hb__view_ns(w->view, ticks);
	w->now = ns > w->now ? ns : w->now;
	w->call.ns = w->now;
	w->point(w->user, &w->call, end);
}

static bool within(const struct walk *w, uint64_t number) { return number >= w->x->first && number <= w->x->last; }

static void begin_outers(struct walk *w, uint64_t number)
{
	for (; w->next < w->nests.n && w->nests.at[w->next].first <= number; w->next++) {
		const struct outer *o = &w->nests.at[w->next];
		if (o->number <= number || !within(w, o->number))
			continue;
		w->open[w->nopen++] = o->number;
		w->call.number = o->number;
		w->call.function = hb_log_function(w->view->log, o->function);
		w->call.function_number = o->function;
		w->call.site = o->site;
		w->call.event = NULL;
		w->call.nops = 0;
		tell(w, o->enter, false);
	}
}

/* Whether the begin of the call has been told. */
static bool has_begun(struct walk *w, uint64_t number)
{
	while (w->nopen && w->open[w->nopen - 1] < number)
		w->nopen--;
	return w->nopen && w->open[w->nopen - 1] == number;
}

static void find_ops(struct walk *w, uint64_t number)
{
	while (w->op < w->nops && w->ops[w->op].event < number)
		w->op++;
	w->call.op = w->ops + w->op;
	w->call.nops = 0;
	while (w->op + w->call.nops < w->nops && w->ops[w->op + w->call.nops].event == number)
		w->call.nops++;
}

static void tell_event(struct walk *w, const hb_event *ev, bool returned)
{
	begin_outers(w, ev->row->number);
	w->call.number = ev->row->number;
	w->call.function = ev->function;
	w->call.function_number = ev->row->function;
	w->call.site = ev->row->site;
	w->call.event = ev;
	w->call.late = has_begun(w, ev->row->number);
	find_ops(w, ev->row->number);
	if (!w->call.late)
		tell(w, ev->row->enter, false);
	if (returned)
		tell(w, ev->row->exit, true);
	w->call.late = false;
}

static int walk_events(struct walk *w, hb_events *events, hb_error *err)
{
	hb_event ev;
	uint64_t last = 0;
	int got;
	while ((got = hb_events_next(events, &ev, err)) == 1) {
		last = ev.row->number;
		if (last > w->x->last)
			return 0;
		if (last >= w->x->first)
			tell_event(w, &ev, true);
		if (last % 1024 == 0 && !hb__export_step(w->x, 1024))
			return 0;
	}
	if (got < 0)
		return got;
	hb__export_step(w->x, last % 1024);
	if (!within(w, last + 1) || hb_events_inside(events, &ev) != 1)
		return 0;
	hb_row row = *ev.row;
	row.number = last + 1;
	ev.row = &row;
	tell_event(w, &ev, false);
	return 0;
}

int hb__walk(hb_export *x, size_t log, uint32_t lane, hb_point *point, void *user)
{
	struct walk w = {.x = x,
		.call = {.log = log, .lane = lane},
		.view = &x->run.views[log],
		.point = point,
		.user = user,
		.path = x->run.logs.at[log].path};
	hb_error err = {0};
	hb_events *events = NULL;
	hb_log *file = x->run.logs.at[log].log;
	if (x->run.model && x->process_of[log] != HB_NO)
		w.ops = hb_model_ops(
			x->run.model, hb_model_processes(x->run.model)[x->process_of[log]].first_line + lane, &w.nops);
	int bad = find_nests(file, lane, &w.nests, &err);
	w.open = hb__alloc(w.nests.n * sizeof *w.open);
	if (!bad && !(bad = hb_events_open(file, lane, &events, &err)))
		bad = walk_events(&w, events, &err);
	hb_events_close(events);
	free(w.nests.at);
	free(w.open);
	return bad ? hb__fail_log(w.path, &err) : 0;
}
