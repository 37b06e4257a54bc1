/* The calls of a lane in the order of time. In a log no two calls of a lane overlap: one that ran others inside (a user's
 * callback that calls MPI) begins where the last of those ended. */
#include "export.h"

struct walk {
	hb_export *x;
	hb_call call;
	hb_view *view;
	hb_call_point *point;
	void *user;
	int64_t now;
	const hb_op *ops;
	uint64_t nops, op;
};

static void tell(struct walk *w, uint64_t ticks, bool end)
{
	int64_t ns = hb__view_ns(w->view, ticks);
	w->now = ns > w->now ? ns : w->now;
	w->call.ns = w->now;
	w->point(w->user, &w->call, end);
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
	w->call.event = ev;
	find_ops(w, ev->row->number);
	tell(w, ev->row->enter, false);
	if (returned)
		tell(w, ev->row->exit, true);
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
	if (last + 1 < w->x->first || last + 1 > w->x->last || hb_events_inside(events, &ev) != 1)
		return 0;
	hb_row row = *ev.row;
	row.number = last + 1;
	ev.row = &row;
	tell_event(w, &ev, false);
	return 0;
}

int hb__walk(hb_export *x, size_t log, uint32_t lane, hb_call_point *point, void *user)
{
	struct walk w = {
		.x = x, .call = {.log = log, .lane = lane}, .view = &x->run.views[log], .point = point, .user = user};
	hb_error err = {0};
	hb_events *events = NULL;
	if (x->run.model && x->process_of[log] != HB_NO)
		w.ops = hb_model_ops(
			x->run.model, hb_model_processes(x->run.model)[x->process_of[log]].first_line + lane, &w.nops);
	int bad = hb_events_open(x->run.logs.at[log].log, lane, &events, &err);
	if (!bad)
		bad = walk_events(&w, events, &err);
	hb_events_close(events);
	return bad ? hb__fail_log(x->run.logs.at[log].path, &err) : 0;
}
