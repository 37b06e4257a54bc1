/* data and value: what came into the processes (level data), a row for each piece, and one for each value in it. A lane is read from its
 * first event on, for what a completion brought has the type of the call that made its request. */
#include <stdio.h>
#include <stdlib.h>

#include "../../contents/files.h"
#include "../../contents/show.h"
#include "../sql.h"

#define AT_ONCE 256

struct hb_sql_contents { /* of a process */
	bool tried;
	hb_data *data;
	hb_contents *contents;
};

struct cursor {
	hb_sql_cursor c;
	size_t log;
	uint32_t lane; /* UINT32_MAX: before the first */
	hb_events *events;
	hb_content_calls *calls;
	uint64_t from, to; /* bounds of events */
	bool ended;        /* no more events */
	hb_event event;    /* held: its pieces are still to come */
	bool held;
	/* the pieces that are given: */
	const hb_content *content;
	uint32_t n, at;
	uint64_t number; /* of the event */
	const char *call;
	/* the values that are given: */
	hb_value value[AT_ONCE];
	uint64_t first, index;
	size_t read;
};

enum {
	D_RANK,
	D_LANE,
	D_EVENT,
	D_CALL,
	D_PIECE,
	D_WHAT,
	D_REQUEST,
	D_TYPE,
	D_ELEMENTS,
	D_BYTES,
	D_FIRST,
	D_DIGEST,
	D_CONTENT
};
enum { V_WHAT = D_WHAT, V_NUMBER, V_TYPE, V_VALUE, V_SECOND };

#define COMMON                                                                                                   \
	{"rank", "INTEGER", 0, HB_SQL_BY_RANK, "the process that got it, by its rank in MPI_COMM_WORLD"},        \
		{"lane", "INTEGER", 0, HB_SQL_BY_LANE, "the thread"},                                            \
		{"event", "INTEGER", 0, HB_SQL_BY_EVENT,                                                         \
			"the event that brought it; with call, the one behind which the call was made"},         \
		{"call", "TEXT", 0, HB_SQL_NO_KEY, "the call, as LAYER:NAME, when it is no event; NULL: it is"}, \
		{"piece", "INTEGER", 0, HB_SQL_NO_KEY, "which of the pieces that came with it, counted from 0"}, \
	{                                                                                                        \
		"what", "TEXT", 0, HB_SQL_NO_KEY,                                                                \
			"the argument in which it came: buf, recvbuf, status ...; request 0 ..."                 \
	}

static const hb_sql_column data_columns[] = {
	COMMON,
	{"request", "INTEGER", 0, HB_SQL_NO_KEY, "which of the requests given brought it, counted from 0; NULL: none"},
	{"type", "TEXT", 0, HB_SQL_NO_KEY, "its datatype, NULL: it has none, or none is known"},
	{"elements", "INTEGER", 0, HB_SQL_NO_KEY, "how many of this datatype; of no datatype, how many values"},
	{"bytes", "INTEGER", 0, HB_SQL_NO_KEY, "how many came"},
	{"first", "TEXT", 0, HB_SQL_NO_KEY, "the first values, as hbdb dump --data prints them"},
	{"digest", "TEXT", 0, HB_SQL_NO_KEY, "XXH3 of all bytes, 64 bits in hexadecimal"},
	{"content", "BLOB", 0, HB_SQL_NO_KEY, "all bytes, in the order of the datatype's map, without its holes"},
	{0},
};

static const hb_sql_column value_columns[] = {
	COMMON,
	{"number", "INTEGER", 0, HB_SQL_NO_KEY, "which value of the piece, counted from 0"},
	{"type", "TEXT", 0, HB_SQL_NO_KEY,
		"its predefined datatype; of a derived datatype those that it consists of; NULL: none is known"},
	{"value", "ANY", 0, HB_SQL_NO_KEY, "a number, or of characters and bytes a text; of a pair the first half"},
	{"second", "ANY", 0, HB_SQL_NO_KEY, "of a pair, such as a complex number, the second half"},
	{0},
};

/* ---- files ---- */

static int open_contents(struct cursor *k)
{
	struct hb_sql *sql = k->c.sql;
	hb_error err = {0};
	if (!sql->contents)
		sql->contents = hb__alloc((sql->logs.n + 1) * sizeof *sql->contents);
	struct hb_sql_contents *of = &sql->contents[k->log];
	if (of->tried)
		return 0;
	of->tried = true;
	int code = hb__open_contents(&sql->logs.at[k->log], &of->data);
	if (code)
		return hb__sql_fail(&k->c, code, "what came into rank %d cannot be read", sql->logs.at[k->log].rank);
	if (of->data && hb_contents_open(sql->logs.at[k->log].log, of->data, &of->contents, &err))
		return hb__sql_fail_log(&k->c, sql->logs.at[k->log].path, &err);
	return 0;
}

void hb__sql_contents_close(struct hb_sql *sql)
{
	for (size_t i = 0; sql->contents && i < sql->logs.n; i++) {
		hb_contents_close(sql->contents[i].contents);
		hb_data_close(sql->contents[i].data);
	}
	free(sql->contents);
}

static hb_contents *contents_of(const struct cursor *k) { return k->c.sql->contents[k->log].contents; }

static int fail(struct cursor *k, const hb_error *err)
{
	return hb__sql_fail_log(&k->c, k->c.sql->logs.at[k->log].path, err);
}

/* ---- pieces ---- */

static void close_lane(struct cursor *k)
{
	hb_events_close(k->events);
	hb_content_calls_close(k->calls);
	k->events = NULL;
	k->calls = NULL;
	k->n = k->at = 0;
}

static void stop(hb_sql_cursor *c) { close_lane((struct cursor *)c); }

static int start(hb_sql_cursor *c)
{
	struct cursor *k = (struct cursor *)c;
	close_lane(k);
	k->log = 0;
	k->lane = UINT32_MAX;
	k->first = k->index = k->read = 0;
	return 0;
}

/* 1: the next lane that the bounds leave is open; 0: there is none. */
static int next_lane(struct cursor *k)
{
	const struct hb_sql *sql = k->c.sql;
	hb_error err = {0};
	close_lane(k);
	for (; k->log < sql->logs.n; k->log++, k->lane = UINT32_MAX) {
		hb_log *log = sql->logs.at[k->log].log;
		if (!log || !hb__sql_within(&k->c, D_RANK, sql->views[k->log].info->rank))
			continue;
		if (open_contents(k))
			return -1;
		while (contents_of(k) && ++k->lane < sql->views[k->log].info->lanes) {
			k->from = 0;
			k->to = UINT64_MAX;
			hb__sql_range(&k->c, D_EVENT, &k->from, &k->to);
			if (!hb__sql_within(&k->c, D_LANE, k->lane) || k->from > k->to)
				continue;
			if (hb_events_open(log, k->lane, &k->events, &err) ||
				hb_content_calls_open(contents_of(k), k->lane, k->from, &k->calls, &err))
				return fail(k, &err);
			hb_events_skip_times(k->events);
			k->ended = k->held = false;
			return 1;
		}
	}
	return 0;
}

/* The calls behind the events so far: 1, 0: there is none. */
static int next_call(struct cursor *k, uint64_t to)
{
	hb_error err = {0};
	hb_content_call call;
	int got = hb_content_calls_next(k->calls, to < k->to ? to : k->to, &call, &err);
	if (got < 0)
		return fail(k, &err);
	if (!got)
		return 0;
	k->content = call.content;
	k->n = call.contents;
	k->number = call.event;
	k->call = call.name;
	return 1;
}

static int next_event(struct cursor *k)
{
	hb_error err = {0};
	int got = hb_events_next(k->events, &k->event, &err);
	if (got < 0)
		return fail(k, &err);
	k->held = got == 1;
	k->ended = !got || k->event.row->number > k->to;
	return 0;
}

/* The pieces of the event that is held: 1, 0: it has none. */
static int pieces_of_event(struct cursor *k)
{
	hb_error err = {0};
	k->held = false;
	if (k->event.row->number < k->from)
		return 0;
	int got = hb_contents_of(contents_of(k), &k->event, &k->content, &k->n, &err);
	if (got < 0)
		return fail(k, &err);
	k->number = k->event.row->number;
	k->call = NULL;
	return got;
}

/* The next event or call that something came with. */
static int next_pieces(struct cursor *k)
{
	for (;;) {
		if (!k->events) {
			int lane = next_lane(k);
			if (lane != 1)
				return lane;
		}
		if (!k->held && !k->ended && next_event(k))
			return -1;
		int got = next_call(k, k->ended ? UINT64_MAX : k->event.row->number - 1);
		if (!got && k->ended) {
			close_lane(k);
			continue;
		}
		got = got ? got : pieces_of_event(k);
		if (got)
			return got;
	}
}

static int next_piece(hb_sql_cursor *c)
{
	struct cursor *k = (struct cursor *)c;
	k->at++;
	while (k->at >= k->n) {
		int got = next_pieces(k);
		if (got != 1)
			return got;
		k->at = 0;
	}
	return 1;
}

static int next_value(hb_sql_cursor *c)
{
	struct cursor *k = (struct cursor *)c;
	hb_error err = {0};
	if (k->at < k->n && ++k->index < k->first + k->read)
		return 1;
	for (;;) {
		if (k->at < k->n && k->index < k->content[k->at].values) {
			int64_t got = hb_contents_values(
				contents_of(k), &k->content[k->at], k->index, k->value, AT_ONCE, &err);
			if (got < 0)
				return fail(k, &err);
			k->first = k->index;
			k->read = (size_t)got;
			if (got)
				return 1;
		}
		int got = next_piece(c);
		if (got != 1)
			return got;
		k->index = k->first = k->read = 0;
	}
}

/* ---- columns ---- */

static void give_type(const struct cursor *k, sqlite3_context *out, int64_t datatype)
{
	const hb_log *log = k->c.sql->logs.at[k->log].log;
	const char *given = datatype >= 0 ? hb_log_name(log, HB_NAMED_TYPE, datatype) : NULL;
	hb__sql_text(out, given ? given : datatype >= 0 ? hb__word(log, HB_RECORDED_DATATYPE, datatype) : NULL);
}

static int give_first(struct cursor *k, sqlite3_context *out)
{
	hb_error err = {0};
	hb_output *o = hb__alloc(sizeof *o);
	o->fd = -1;
	const hb_contents_view of = {&k->c.sql->views[k->log], contents_of(k), HB_CONTENTS_SHOWN, false};
	hb_status status = hb__put_contents_values(o, &of, &k->content[k->at], &err);
	if (!status)
		sqlite3_result_text(out, o->at, (int)o->n, SQLITE_TRANSIENT);
	free(o);
	return status ? fail(k, &err) : 0;
}

static int give_digest(struct cursor *k, sqlite3_context *out)
{
	hb_error err = {0};
	uint64_t digest;
	char text[20];
	if (hb_contents_digest(contents_of(k), &k->content[k->at], &digest, &err))
		return fail(k, &err);
	snprintf(text, sizeof text, "%016llx", (unsigned long long)digest);
	sqlite3_result_text(out, text, -1, SQLITE_TRANSIENT);
	return 0;
}

static int give_content(struct cursor *k, sqlite3_context *out)
{
	hb_error err = {0};
	const hb_content *content = &k->content[k->at];
	void *p = sqlite3_malloc64(content->piece.bytes ? content->piece.bytes : 1);
	if (!p) {
		sqlite3_result_error_nomem(out);
		return 0;
	}
	if (hb_contents_bytes(contents_of(k), content, 0, content->piece.bytes, p, &err)) {
		sqlite3_free(p);
		return fail(k, &err);
	}
	sqlite3_result_blob64(out, p, content->piece.bytes, sqlite3_free);
	return 0;
}

static void give_number(sqlite3_context *out, uint8_t kind, hb_number v)
{
	if (kind == HB_VALUE_REAL)
		sqlite3_result_double(out, v.real);
	else if (kind == HB_VALUE_UNSIGNED && v.whole > INT64_MAX)
		sqlite3_result_double(out, (double)v.whole);
	else
		sqlite3_result_int64(out, v.integer);
}

static void give_value(const struct cursor *k, sqlite3_context *out, bool second)
{
	const hb_value *v = &k->value[k->index - k->first];
	char text[96];
	if (second && v->kind == HB_VALUE_PAIR)
		give_number(out, v->second, v->b);
	else if (!second && (v->kind == HB_VALUE_CHARACTER || v->kind == HB_VALUE_BYTE))
		sqlite3_result_text(out, hb__value_text(v, text, sizeof text), -1, SQLITE_TRANSIENT);
	else if (!second)
		give_number(out, v->kind == HB_VALUE_PAIR ? v->first : (uint8_t)v->kind, v->a);
}

static bool give_common(const struct cursor *k, sqlite3_context *out, int column)
{
	const hb_content *content = &k->content[k->at];
	char word[128];
	switch (column) {
	case D_RANK:
		sqlite3_result_int(out, k->c.sql->views[k->log].info->rank);
		return true;
	case D_LANE:
		sqlite3_result_int64(out, k->lane);
		return true;
	case D_EVENT:
		sqlite3_result_int64(out, (int64_t)k->number);
		return true;
	case D_CALL:
		hb__sql_text(out, k->call);
		return true;
	case D_PIECE:
		sqlite3_result_int64(out, k->at);
		return true;
	case D_WHAT:
		hb__contents_word(content, word, sizeof word);
		sqlite3_result_text(out, word, -1, SQLITE_TRANSIENT);
		return true;
	default:
		return false;
	}
}

static int data_column(hb_sql_cursor *c, sqlite3_context *out, int column)
{
	struct cursor *k = (struct cursor *)c;
	const hb_content *content = &k->content[k->at];
	if (give_common(k, out, column))
		return 0;
	switch (column) {
	case D_REQUEST:
		hb__sql_number(out, content->request);
		return 0;
	case D_TYPE:
		give_type(k, out, content->datatype);
		return 0;
	case D_ELEMENTS:
		sqlite3_result_int64(out, (int64_t)(content->elements ? content->elements : content->values));
		return 0;
	case D_BYTES:
		sqlite3_result_int64(out, (int64_t)content->piece.bytes);
		return 0;
	case D_FIRST:
		return give_first(k, out);
	case D_DIGEST:
		return give_digest(k, out);
	default:
		return give_content(k, out);
	}
}

static int value_column(hb_sql_cursor *c, sqlite3_context *out, int column)
{
	struct cursor *k = (struct cursor *)c;
	if (give_common(k, out, column))
		return 0;
	uint32_t type = k->value[k->index - k->first].datatype;
	if (column == V_NUMBER)
		sqlite3_result_int64(out, (int64_t)k->index);
	else if (column == V_TYPE)
		give_type(k, out, type == HB_NO ? -1 : (int64_t)type);
	else
		give_value(k, out, column == V_SECOND);
	return 0;
}

static double pieces(const struct hb_sql *sql) { return 2.0 * (double)sql->events; }
static double values(const struct hb_sql *sql) { return 1000.0 * (double)sql->events; }
/* A lane is read from its first event. */
static double seek(const struct hb_sql *sql) { return sql->longest; }

const hb_sql_table hb__sql_data = {
	.name = "data",
	.help = "a row for each piece of what came into a process: contents of messages, results, statuses (recordings at level data)",
	.columns = data_columns,
	.size = sizeof(struct cursor),
	.rows = pieces,
	.seek = seek,
	.ordered = true,
	.start = start,
	.next = next_piece,
	.column = data_column,
	.stop = stop,
};

const hb_sql_table hb__sql_value = {
	.name = "value",
	.help = "a row for each value in these pieces",
	.columns = value_columns,
	.size = sizeof(struct cursor),
	.rows = values,
	.seek = seek,
	.ordered = true,
	.start = start,
	.next = next_value,
	.column = value_column,
	.stop = stop,
};
