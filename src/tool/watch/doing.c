/* What each process is doing now: equal ones together. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../findings/findings.h"
#include "../run/events.h"
#include "../show/inert.h"
#include "base/clock.h"
#include "calls/neutral.h"
#include "format/row.h"
#include "watch.h"

struct doing {
	char *text;  /* what, without times */
	char *since; /* of the first process */
	hb_ranked *rank;
	size_t n;
};

struct doings {
	struct doing *at;
	size_t n;
};

static void add(struct doings *d, const hb_process *p, char *text, char *since)
{
	size_t i = 0;
	while (i < d->n && strcmp(d->at[i].text, text) != 0)
		i++;
	if (i == d->n) {
		d->at = hb__resize(d->at, (d->n + 1) * sizeof *d->at);
		d->at[d->n++] = (struct doing){.text = text, .since = since};
	} else {
		free(text);
		free(since);
	}
	struct doing *one = &d->at[i];
	one->rank = hb__resize(one->rank, (one->n + 1) * sizeof *one->rank);
	one->rank[one->n++] = (hb_ranked){p->world, p->rank, p->name};
}

static char *place_text(hb_view *view, uint32_t site)
{
	const hb_place *place = hb__view_place(view, site);
	return place ? hb__format("  %s", place->text) : hb__copy("");
}

/* A line of hbdb dump --plain, without the event's name, with its place. */
static char *call_text(hb_output *out, hb_view *view, const hb_event *event)
{
	view->plain = true;
	char *line = hb__event_text(out, view, event, false), *blank = line ? strchr(line, ' ') : NULL;
	view->plain = false;
	if (line)
		line[strcspn(line, "\n")] = 0;
	char *place = place_text(view, event->row->site);
	char *text = hb__format("%s%s", blank ? blank + 1 : "a call", place);
	free(line);
	free(place);
	return text;
}

/* Seconds since a tick of the process; the clock is that of the machine, so only of a process that is on this one. */
static char *since(const hb_process_now *p, const hb_log_info *info, uint64_t tick)
{
	double then = ((double)info->origin_mono + hb_ticks_ns(info, tick)) * 1e-9, now = hb_seconds();
	return p->seen && now >= then ? hb__format("  for %.1f s", now - then) : hb__copy("");
}

/* Of a lane whose last event stands behind the reader. */
static void take_lane(struct doings *d, hb_run *run, const hb_process_now *p, const hb_lane_now *now, hb_events *events,
	uint32_t process, uint64_t last_exit, const char *last)
{
	hb_event inside;
	hb_lane_info lane;
	hb_row row;
	hb_view *view = &run->views[run->log_of[process]];
	hb_output *out = hb__alloc(sizeof *out);
	out->fd = memfd_create("hbdb-doing", MFD_CLOEXEC);
	char *text = NULL, *when = NULL;
	if (hb_events_inside(events, &inside) == 1) {
		text = call_text(out, view, &inside);
		when = since(p, view->info, inside.row->enter);
	} else if (now && now->asked > 0 && hb_seconds() - now->asked < 1) {
		const char *name = "a call";
		hb_cursor *cursor = NULL;
		if (!hb_log_lane(view->log, now->is.lane, &lane) && lane.polling &&
			!hb_cursor_open((hb_log *)view->log, now->is.lane, lane.events + 1, &cursor, NULL) &&
			!hb_cursor_slot(cursor, lane.polling_slot, &row)) {
			const hb_function *f = hb_log_function(view->log, row.function);
			char *place = place_text(view, row.site);
			name = f && f->name ? hb__tame(f->name) : name;
			text = hb__format("polls: %s%s", name, place);
			free(place);
		}
		hb_cursor_close(cursor);
		text = text ? text : hb__format("polls without success, after %s", last);
		when = since(p, view->info, last_exit);
	} else {
		text = !now || !now->asleep         ? hb__format("computes, after %s", last)
		       : now->joins == now->is.lane ? hb__format("(a thread) has ended, after %s", last)
		       : now->joins != HB_NO
			       ? hb__format("sleeps until its thread %u ends (after %s)", now->joins, last)
			       : hb__format("sleeps until another of its threads wakes it (after %s)", last);
		when = since(p, view->info, last_exit);
	}
	add(d, &hb_model_processes(run->model)[process], text, when);
	if (out->fd >= 0)
		close(out->fd);
	free(out);
}

/* Reads to the end of a lane. */
static void look_at_lane(
	struct doings *d, hb_run *run, const hb_process_now *p, const hb_lane_now *now, uint32_t process, uint32_t lane)
{
	uint32_t log = run->log_of[process];
	const hb_line *line = &hb_model_lines(run->model)[hb_model_processes(run->model)[process].first_line + lane];
	uint64_t from = line->events > 1u + line->inside ? line->events - 1u - line->inside : 1, last_exit = 0;
	bool rank = *hb_rank_word(hb_model_processes(run->model)[process].name);
	char *last = hb__copy(rank ? "MPI_Init" : "its start");
	hb_events *events;
	hb_event event;
	if (!hb_events_open_at(run->logs.at[log].log, line->lane, from, &events, NULL)) {
		while (hb_events_next(events, &event, NULL) == 1) {
			char *place = place_text(&run->views[log], event.row->site);
			free(last);
			last = hb__format("%s%s", event.function ? hb__tame(event.function->name) : "a call", place);
			last_exit = event.row->exit;
			free(place);
		}
		take_lane(d, run, p, now, events, process, last_exit, last);
		hb_events_close(events);
	}
	free(last);
}

static const hb_process_now *now_of(const hb_lanes *l, const hb_process *p)
{
	for (size_t i = 0; i < l->n; i++)
		if (hb__is_now(p, &l->at[i]))
			return &l->at[i];
	return NULL;
}

static void take_process(struct doings *d, hb_run *run, const hb_lanes *lanes, uint32_t process)
{
	const hb_process *p = &hb_model_processes(run->model)[process];
	const hb_process_now *now = now_of(lanes, p);
	if (!now || !p->log) {
		add(d, p,
			hb__copy(
				"has no log yet: it has not called MPI_Init, or it runs on a machine whose files cannot be seen here"),
			hb__copy(""));
		return;
	}
	if (hb__is_over(now)) {
		const char *how = !*hb_rank_word(p->name)            ? "has ended"
				  : now->state == HB_STATE_FINALIZED ? "has finished MPI"
				  : now->state == HB_STATE_ABORTED   ? "called MPI_Abort"
				  : now->state == HB_STATE_LEFT      ? "left without MPI_Finalize"
								     : "has died";
		add(d, p, hb__copy(how), hb__copy(""));
		return;
	}
	for (uint32_t i = 0; i < p->nlines; i++) {
		const hb_lane_now *lane = NULL;
		for (size_t k = 0; k < now->nlanes; k++)
			if (now->lane[k].is.lane == i)
				lane = &now->lane[k];
		look_at_lane(d, run, now, lane, process, i);
	}
}

void hb__put_doing(hb_run *run, const hb_lanes *lanes, FILE *to)
{
	struct doings d = {0};
	int width = 0;
	for (uint32_t i = 0; i < hb_model_get_info(run->model)->processes; i++)
		take_process(&d, run, lanes, i);
	for (size_t pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < d.n; i++) {
			char *who = hb__called_text(d.at[i].rank, d.at[i].n);
			int w = (int)strlen(who);
			width = w > width && w < 30 ? w : width;
			if (pass)
				fprintf(to, "  %-*s  %s%s\n", width, who, d.at[i].text, d.at[i].since);
			free(who);
		}
	for (size_t i = 0; i < d.n; i++) {
		free(d.at[i].text);
		free(d.at[i].since);
		free(d.at[i].rank);
	}
	free(d.at);
}

/* ---- of one log ---- */

bool hb__call_of_log(
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

hb_called *hb__calls_of_log(const char *path, size_t *ret_n)
{
	hb_log *log;
	*ret_n = 0;
	if (hb_log_open(path, &log, NULL))
		return NULL;
	size_t n = hb_log_get_info(log)->functions;
	hb_called *calls = hb__alloc((n + 1) * sizeof *calls);
	for (size_t i = 0; i < n; i++) {
		const hb_function *f = hb_log_function(log, (uint32_t)i);
		calls[i] = (hb_called){hb__copy(f && f->name ? f->name : ""), f ? f->calls : 0};
	}
	*ret_n = n;
	hb_log_close(log);
	return calls;
}

void hb__calls_free(hb_called *calls, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(calls[i].name);
	free(calls);
}
