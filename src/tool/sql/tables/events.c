/* events: a row per event, read from the logs. Bounds on rank, lane and event are sought, bounds on time are sought in
 * long lanes, functions and classes are compared before SQLite sees the row. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "events.h"

/* ---- lanes ---- */

static void close_lane(struct hb_sql_events *e, struct hb_sql_lane *lane)
{
	if (lane->events) {
		hb_events_close(lane->events);
		e->open--;
	}
	*lane = (struct hb_sql_lane){0};
}

static void close_lanes(struct hb_sql_events *e)
{
	for (size_t i = 0; e->lanes && i < e->c.sql->logs.n; i++)
		for (uint32_t k = 0; e->lanes[i] && k < e->c.sql->views[i].info->lanes; k++)
			close_lane(e, &e->lanes[i][k]);
}

static double exit_of(const struct hb_sql_events *e, uint64_t number)
{
	hb_cursor *cursor;
	hb_row row;
	double time = INFINITY;
	if (hb_cursor_open(e->c.sql->logs.at[e->log].log, e->number, number, &cursor, NULL))
		return INFINITY;
	if (hb_cursor_next(cursor, &row, NULL) == 1)
		time = hb__sql_time(e->c.sql, e->log, row.exit);
	hb_cursor_close(cursor);
	return time;
}

/* Exits do not decrease along a lane. A probe decodes a block, so the last part is left to reading. */
static uint64_t seek_time(const struct hb_sql_events *e, uint64_t low, uint64_t high)
{
	double time = e->c.low[EXIT] > e->c.low[ENTER] ? e->c.low[EXIT] : e->c.low[ENTER];
	if (time == -INFINITY)
		return low;
	while (low < high && high - low > 65536) {
		uint64_t middle = low + (high - low) / 2;
		if (exit_of(e, middle) < time)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int open_lane(struct hb_sql_events *e, struct hb_sql_lane *lane)
{
	hb_log *log = e->c.sql->logs.at[e->log].log;
	bool history = e->c.flags & HB_SQL_HISTORY;
	hb_lane_info info;
	hb_error err = {0};
	if (hb_log_lane(log, e->number, &info))
		info.events = 0;
	if (!history)
		e->from = seek_time(e, e->from, e->to < info.events ? e->to : info.events);
	bool usable = lane->events && (!history || lane->begin == 1);
	uint64_t here = lane->held ? lane->last : lane->last + 1;
	if (usable && e->from >= here && (history || e->from - here < 65536))
		return 0;
	close_lane(e, lane);
	if (e->open >= OPEN_MAX)
		close_lanes(e);
	/* behind the last event is the call that never returned */
	uint64_t begin = history ? 1 : e->from <= info.events ? e->from : info.events + 1;
	if (hb_events_open_at(log, e->number, begin, &lane->events, &err))
		return hb__sql_fail_log(&e->c, e->c.sql->logs.at[e->log].path, &err);
	if (!(e->c.flags & HB_SQL_TIMES))
		hb_events_skip_times(lane->events);
	e->open++;
	lane->begin = begin;
	lane->last = begin - 1;
	return 0;
}

static int advance(struct hb_sql_events *e, struct hb_sql_lane *lane)
{
	hb_error err = {0};
	lane->held = false;
	if (lane->ended)
		return 0;
	int got = hb_events_next(lane->events, &lane->event, &err);
	if (got < 0)
		return hb__sql_fail_log(&e->c, e->c.sql->logs.at[e->log].path, &err);
	if (!got) {
		lane->ended = true;
		if (hb_events_inside(lane->events, &lane->event) != 1)
			return 0;
		lane->row = *lane->event.row;
		lane->row.number = lane->last + 1;
		lane->row.lane = e->number;
		lane->event.row = &lane->row;
	}
	lane->last = lane->event.row->number;
	lane->held = true;
	return 1;
}

/* ---- the functions of a log ---- */

static int8_t place_of(const hb_function *f, const char *const *names)
{
	for (; *names; names++)
		for (uint32_t i = 0; i < f->nargs && i < 127; i++)
			if (!strcmp(f->arg_name[i], *names))
				return (int8_t)i;
	return -1;
}

static void know_functions(struct hb_sql_events *e)
{
	static const char *const counts[] = {"count", "sendcount", "origin_count", "recvcount", "incount", NULL};
	static const char *const types[] = {"datatype", "sendtype", "origin_datatype", "recvtype", NULL};
	const hb_log *log = e->c.sql->logs.at[e->log].log;
	uint32_t n = e->c.sql->views[e->log].info->functions;
	const char *call = e->c.text[CALL], *class = e->c.text[CLASS];
	free(e->wanted);
	e->wanted = call || class ? hb__alloc(n) : NULL;
	if (e->known != e->log) {
		e->counts = hb__resize(e->counts, n);
		e->types = hb__resize(e->types, n);
	}
	for (uint32_t i = 0; i < n; i++) {
		const hb_function *f = hb_log_function(log, i);
		if (f && !f->name)
			f = NULL;
		if (e->known != e->log) {
			e->counts[i] = f ? place_of(f, counts) : -1;
			e->types[i] = f ? place_of(f, types) : -1;
		}
		if (e->wanted)
			e->wanted[i] = f && (!call || !strcmp(call, f->name)) &&
				       (!class || !strcmp(class, hb__class_name(f->cls)));
	}
	e->known = e->log;
}

/* ---- rows ---- */

static int start(hb_sql_cursor *c)
{
	struct hb_sql_events *e = (struct hb_sql_events *)c;
	if (!e->lanes) {
		e->lanes = hb__alloc(c->sql->logs.n * sizeof *e->lanes);
		e->known = SIZE_MAX;
	}
	e->log = SIZE_MAX; /* before the first */
	e->number = UINT32_MAX;
	e->lane = NULL;
	return c->flags & HB_SQL_LAMPORT ? hb__sql_lamport(c) : 0;
}

/* The next lane that the bounds leave: 1, or 0 when there is none. */
static int next_lane(struct hb_sql_events *e)
{
	const struct hb_sql *sql = e->c.sql;
	for (;;) {
		bool more = e->log < sql->logs.n && sql->logs.at[e->log].log &&
			    ++e->number < sql->views[e->log].info->lanes;
		if (!more) {
			do
				if (++e->log >= sql->logs.n)
					return 0;
			while (!sql->logs.at[e->log].log || !sql->views[e->log].info->lanes ||
				!hb__sql_within(&e->c, RANK, sql->views[e->log].info->rank));
			e->number = 0;
			know_functions(e);
			if (!e->lanes[e->log])
				e->lanes[e->log] = hb__alloc(sql->views[e->log].info->lanes * sizeof **e->lanes);
		}
		e->from = 1;
		e->to = UINT64_MAX;
		hb__sql_range(&e->c, EVENT, &e->from, &e->to);
		if (hb__sql_within(&e->c, LANE, e->number) && e->from <= e->to) {
			e->lane = &e->lanes[e->log][e->number];
			return open_lane(e, e->lane) ? -1 : 1;
		}
	}
}

/* Whether the bounds leave the event; *ret_past: they leave none behind it in the lane. */
static bool wanted(const struct hb_sql_events *e, bool *ret_past)
{
	const struct hb_sql_lane *lane = e->lane;
	const hb_row *row = lane->event.row;
	*ret_past = row->number > e->to;
	if (row->number < e->from || *ret_past)
		return false;
	if (e->wanted && (row->function >= e->c.sql->views[e->log].info->functions || !e->wanted[row->function]))
		return false;
	if (!(e->c.flags & HB_SQL_TIMES) || !hb__sql_timed(lane))
		return true;
	/* a call that ran a callback stands behind the callback's calls: enters may decrease, exits do not */
	double exit = hb__sql_time(e->c.sql, e->log, row->exit);
	if (!lane->ended && exit > e->c.high[EXIT])
		*ret_past = true;
	return (lane->ended || hb__sql_within(&e->c, EXIT, exit)) &&
	       hb__sql_within(&e->c, ENTER, hb__sql_time(e->c.sql, e->log, row->enter));
}

static int next(hb_sql_cursor *c)
{
	struct hb_sql_events *e = (struct hb_sql_events *)c;
	for (;;) {
		bool past = false, again = false;
		if (!e->lane) {
			int got = next_lane(e);
			if (got != 1)
				return got;
			again = e->lane->held && e->lane->last == e->from; /* asked for once more */
		}
		int got = again ? 1 : e->lane->last >= e->to ? 0 : advance(e, e->lane);
		if (got < 0)
			return got;
		if (got && wanted(e, &past))
			return 1;
		if (!got || past)
			e->lane = NULL;
	}
}

static void stop(hb_sql_cursor *c)
{
	struct hb_sql_events *e = (struct hb_sql_events *)c;
	close_lanes(e);
	for (size_t i = 0; e->lanes && i < c->sql->logs.n; i++)
		free(e->lanes[i]);
	free(e->lanes);
	free(e->wanted);
	free(e->counts);
	free(e->types);
}

static double rows(const struct hb_sql *sql) { return (double)sql->events; }

/* A lane is read from the beginning of a block. */
static double seek(const struct hb_sql *sql) { return (sql->longest < 65536 ? sql->longest : 65536) / 64.0; }

const hb_sql_table hb__sql_events = {
	.name = "events",
	.help = "a row for each event: a call that the program made",
	.columns = hb__sql_event_columns,
	.size = sizeof(struct hb_sql_events),
	.rows = rows,
	.seek = seek,
	.ordered = true,
	.start = start,
	.next = next,
	.column = hb__sql_event_column,
	.stop = stop,
};
