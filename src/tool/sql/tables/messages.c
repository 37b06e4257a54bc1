/* messages: a row per message that was sent, and one per receive that got none. The sends of a process stand together
 * in the model, and so do its receives: bounds on the sender, on the receiver and on one of their events are sought,
 * the others are compared before SQLite sees the row. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../sql.h"

enum {
	STATE,
	SENDER,
	SEND_LANE,
	SEND_EVENT,
	SEND_CALL,
	SEND_PLACE,
	SEND_ENTER,
	SEND_EXIT,
	RECEIVER,
	POST_LANE,
	POST_EVENT,
	POST_CALL,
	POST_PLACE,
	POST_ENTER,
	DONE_LANE,
	DONE_EVENT,
	DONE_CALL,
	DONE_PLACE,
	DONE_ENTER,
	DONE_EXIT,
	COMM,
	TAG,
	BYTES,
	LATENCY,
	SYNCHRONOUS,
	AMBIGUOUS,
	FAILED,
	ANY_SOURCE,
	ANY_TAG,
	COMMUNICATOR,
	ASKED_SOURCE,
	ASKED_TAG,
	SENDER_WORLD,
	RECEIVER_WORLD,
};

static const hb_sql_column columns[] = {
	{"state", "TEXT", 0, HB_SQL_BY_TEXT,
		"received; unreceived: nobody took it; pending: its receive was posted, and the end of that is not known; "
		"cancelled; unsatisfied: a receive that got no message; failed: a receive that ended with an error; "
		"unknown: a receive that got a message which this recording does not have"},
	{"sender", "INTEGER", 0, HB_SQL_BY_RANK, "rank in MPI_COMM_WORLD; NULL: a receive without a message"},
	{"send_lane", "INTEGER", 0, HB_SQL_NO_KEY, "the thread that sent"},
	{"send_event", "INTEGER", 0, HB_SQL_BY_EVENT, "the event that began the send"},
	{"send_call", "TEXT", 0, HB_SQL_NO_KEY, "its function"},
	{"send_place", "TEXT", 0, HB_SQL_NO_KEY, "file and line of it"},
	{"send_enter", "REAL", 0, HB_SQL_NO_KEY, "when it was entered, in seconds from the start of the recording"},
	{"send_exit", "REAL", 0, HB_SQL_NO_KEY,
		"when that call returned (a nonblocking one: before the send was complete)"},
	{"receiver", "INTEGER", 0, HB_SQL_BY_RANK, "rank in MPI_COMM_WORLD"},
	{"post_lane", "INTEGER", 0, HB_SQL_NO_KEY, "the thread that posted the receive"},
	{"post_event", "INTEGER", 0, HB_SQL_BY_EVENT, "the event that posted it"},
	{"post_call", "TEXT", 0, HB_SQL_NO_KEY, "its function"},
	{"post_place", "TEXT", 0, HB_SQL_NO_KEY, "file and line of it"},
	{"post_enter", "REAL", 0, HB_SQL_NO_KEY, "when it was entered"},
	{"done_lane", "INTEGER", 0, HB_SQL_NO_KEY, "the thread that completed the receive"},
	{"done_event", "INTEGER", 0, HB_SQL_BY_EVENT,
		"the event that completed it; of a blocking receive the same as post_event"},
	{"done_call", "TEXT", 0, HB_SQL_NO_KEY, "its function"},
	{"done_place", "TEXT", 0, HB_SQL_NO_KEY, "file and line of it"},
	{"done_enter", "REAL", 0, HB_SQL_NO_KEY, "when it was entered: from here on the receiver waited"},
	{"done_exit", "REAL", 0, HB_SQL_NO_KEY, "when it returned: the message was there"},
	{"comm", "TEXT", 0, HB_SQL_NO_KEY,
		"the communicator, by the name that all processes share: WORLD, WORLD.2, SELF; or the channel of the program itself"},
	{"tag", "INTEGER", 0, HB_SQL_BY_VALUE,
		"the tag sent, of a receive without a message the one asked for (-1 any); the key of a message of the program itself, as a signed number"},
	{"bytes", "INTEGER", 0, HB_SQL_BY_VALUE, "the size as sent"},
	{"latency", "REAL", 0, HB_SQL_NO_KEY, "seconds from send_enter to done_exit"},
	{"synchronous", "INTEGER", 0, HB_SQL_NO_KEY, "1: the send completes only when its receive was posted"},
	{"ambiguous", "INTEGER", 0, HB_SQL_NO_KEY,
		"1: threads, or a receive whose end is not known, leave open whether this match is right"},
	{"failed", "INTEGER", 0, HB_SQL_NO_KEY, "1: the receive returned an error, as a truncated one does"},
	{"any_source", "INTEGER", 0, HB_SQL_NO_KEY, "1: it was received with MPI_ANY_SOURCE"},
	{"any_tag", "INTEGER", 0, HB_SQL_NO_KEY, "1: with MPI_ANY_TAG"},
	{"communicator", "INTEGER", HB_SQL_HIDDEN, HB_SQL_NO_KEY, "its id in the table communicators"},
	{"asked_source", "INTEGER", HB_SQL_HIDDEN, HB_SQL_NO_KEY,
		"the rank in MPI_COMM_WORLD that the receive asked for; NULL any"},
	{"asked_tag", "INTEGER", HB_SQL_HIDDEN, HB_SQL_NO_KEY, "the tag that it asked for; -1 any"},
	{"sender_world", "INTEGER", HB_SQL_HIDDEN, HB_SQL_NO_KEY,
		"number of the sender's MPI_COMM_WORLD: 0 the one that was started"},
	{"receiver_world", "INTEGER", HB_SQL_HIDDEN, HB_SQL_NO_KEY, "number of the receiver's"},
	{0},
};

/* Made when a query asks for it first. */
struct hb_sql_index {
	uint32_t *unreceived; /* sends that nobody received, by process */
	uint32_t nunreceived;
	uint32_t *by_done; /* receives by process, then by the event that completed them */
};

struct cursor {
	hb_sql_cursor c;
	uint32_t send, receive; /* of the row; HB_NO: none */
	/* What is left to look at: sends, then receives. A list names them; without one the places are the numbers. */
	const uint32_t *sends, *receives;
	uint32_t at_send, end_send, at_receive, end_receive;
	bool by_receiver; /* receives bring their sends along, and sends are only those that nobody received */
};

static uint32_t item(const uint32_t *list, uint32_t at) { return list ? list[at] : at; }

/* ---- finding the part of a process ---- */

static uint32_t process_of_line(const hb_model *m, uint32_t line) { return hb_model_lines(m)[line].process; }

/* The first send (receive) of a process with this number, or of a later one. */
static uint32_t first_of(const hb_model *m, bool sends, uint32_t process)
{
	uint32_t low = 0, high = sends ? hb_model_get_info(m)->sends : hb_model_get_info(m)->receives;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		uint32_t line = sends ? hb_model_sends(m)[middle].line : hb_model_receives(m)[middle].line;
		if (process_of_line(m, line) < process)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* All processes whose ranks are within the bounds of a column are in [low, high): those of the world stand by rank,
 * spawned ones behind them. */
static void processes(const hb_sql_cursor *c, int column, uint32_t *ret_low, uint32_t *ret_high)
{
	const hb_model *m = c->sql->model;
	*ret_low = *ret_high = 0;
	for (uint32_t i = 0; i < hb_model_get_info(m)->processes; i++)
		if (hb__sql_within(c, column, hb_model_processes(m)[i].rank)) {
			*ret_low = *ret_high ? *ret_low : i;
			*ret_high = i + 1;
		}
}

static bool bounded(const hb_sql_cursor *c, int column)
{
	return c->low[column] > -INFINITY || c->high[column] < INFINITY;
}

/* ---- seeking events ---- */

static uint32_t send_event(const hb_model *m, uint32_t send) { return hb_model_sends(m)[send].event; }
static uint32_t post_event(const hb_model *m, uint32_t receive) { return hb_model_receives(m)[receive].post; }
static uint32_t done_event(const hb_model *m, uint32_t receive) { return hb_receive_done(m, receive).event; }

typedef uint32_t number_of(const hb_model *m, uint32_t id);

static uint32_t first_not_below(
	const hb_model *m, const uint32_t *list, uint32_t low, uint32_t high, number_of *number, double bound)
{
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (number(m, item(list, middle)) < bound)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Cuts [low, high) to the bounds of a column; the numbers must not decrease in it. */
static void cut(
	const hb_sql_cursor *c, int column, number_of *number, const uint32_t *list, uint32_t *low, uint32_t *high)
{
	const hb_model *m = c->sql->model;
	*low = first_not_below(m, list, *low, *high, number, c->low[column]);
	if (c->high[column] < INFINITY)
		*high = first_not_below(m, list, *low, *high, number, floor(c->high[column]) + 1);
}

/* A single process with a single line, whose events stand in order; HB_NO: it is not that. */
static uint32_t only_process(const hb_sql_cursor *c, int column)
{
	const hb_model *m = c->sql->model;
	uint32_t low, high;
	processes(c, column, &low, &high);
	return high == low + 1 && hb_model_processes(m)[low].nlines == 1 ? low : HB_NO;
}

static int compare_done(const void *a, const void *b, void *user)
{
	const hb_model *m = user;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	uint32_t p = process_of_line(m, hb_model_receives(m)[x].line);
	uint32_t q = process_of_line(m, hb_model_receives(m)[y].line);
	if (p != q)
		return p < q ? -1 : 1;
	uint32_t d = done_event(m, x), e = done_event(m, y);
	return d != e ? (d < e ? -1 : 1) : x < y ? -1 : x > y;
}

static struct hb_sql_index *get_index(struct hb_sql *sql)
{
	if (!sql->index)
		sql->index = hb__alloc(sizeof *sql->index);
	return sql->index;
}

static const uint32_t *receives_by_done(struct hb_sql *sql)
{
	struct hb_sql_index *index = get_index(sql);
	uint32_t n = hb_model_get_info(sql->model)->receives;
	if (index->by_done)
		return index->by_done;
	index->by_done = hb__alloc((size_t)n * sizeof *index->by_done);
	for (uint32_t i = 0; i < n; i++)
		index->by_done[i] = i;
	qsort_r(index->by_done, n, sizeof *index->by_done, compare_done, sql->model);
	return index->by_done;
}

static const uint32_t *sends_not_received(struct hb_sql *sql, uint32_t *ret_n)
{
	struct hb_sql_index *index = get_index(sql);
	uint32_t n = hb_model_get_info(sql->model)->sends;
	if (!index->unreceived) {
		for (uint32_t i = 0; i < n; i++)
			index->nunreceived += hb_model_sends(sql->model)[i].receive == HB_NO;
		index->unreceived = hb__alloc((size_t)index->nunreceived * sizeof *index->unreceived);
		for (uint32_t i = 0, k = 0; i < n; i++)
			if (hb_model_sends(sql->model)[i].receive == HB_NO)
				index->unreceived[k++] = i;
	}
	*ret_n = index->nunreceived;
	return index->unreceived;
}

void hb__sql_index_close(struct hb_sql *sql)
{
	if (!sql->index)
		return;
	free(sql->index->unreceived);
	free(sql->index->by_done);
	free(sql->index);
	sql->index = NULL;
}

/* ---- where to look ---- */

static void start_by_sender(struct cursor *s)
{
	hb_sql_cursor *c = &s->c;
	const hb_model *m = c->sql->model;
	uint32_t low, high;
	processes(c, SENDER, &low, &high);
	s->at_send = first_of(m, true, low);
	s->end_send = first_of(m, true, high);
	s->end_receive = 0; /* receives without a send have no sender */
	if (bounded(c, SEND_EVENT) && only_process(c, SENDER) != HB_NO)
		cut(c, SEND_EVENT, send_event, NULL, &s->at_send, &s->end_send);
}

static void start_by_receiver(struct cursor *s)
{
	hb_sql_cursor *c = &s->c;
	const hb_model *m = c->sql->model;
	uint32_t low, high, only = only_process(c, RECEIVER);
	bool posted = bounded(c, POST_EVENT), done = bounded(c, DONE_EVENT);
	s->by_receiver = true;
	s->sends = sends_not_received(c->sql, &s->end_send);
	processes(c, RECEIVER, &low, &high);
	s->at_receive = first_of(m, false, low);
	s->end_receive = first_of(m, false, high);
	if (posted || done)
		s->end_send = 0; /* sends without a receive have no such event */
	if (only == HB_NO)
		return;
	if (posted)
		cut(c, POST_EVENT, post_event, NULL, &s->at_receive, &s->end_receive);
	else if (done) {
		s->receives = receives_by_done(c->sql);
		cut(c, DONE_EVENT, done_event, s->receives, &s->at_receive, &s->end_receive);
	}
}

static int start(hb_sql_cursor *c)
{
	struct cursor *s = (struct cursor *)c;
	if (hb__sql_model(c))
		return -1;
	const hb_model_info *info = hb_model_get_info(c->sql->model);
	s->sends = s->receives = NULL;
	s->at_send = s->at_receive = 0;
	s->end_send = info->sends;
	s->end_receive = info->receives;
	s->by_receiver = false;
	if (bounded(c, SENDER))
		start_by_sender(s);
	else if (bounded(c, SEND_EVENT))
		s->end_receive = 0;
	else if (bounded(c, RECEIVER))
		start_by_receiver(s);
	return 0;
}

/* ---- rows ---- */

static const char *state(const struct cursor *s)
{
	const hb_model *m = s->c.sql->model;
	const hb_send *send = s->send == HB_NO ? NULL : &hb_model_sends(m)[s->send];
	const hb_receive *receive = s->receive == HB_NO ? NULL : &hb_model_receives(m)[s->receive];
	if (send && !receive)
		return (send->flags & HB_EARLIER) == HB_EARLIER ? "before"
		       : send->flags & HB_CANCELLED             ? "cancelled"
								: "unreceived";
	if (send)
		return receive->flags & HB_PENDING ? "pending" : "received";
	return receive->flags & HB_CANCELLED ? "cancelled"
	       : receive->flags & HB_PENDING ? "unsatisfied"
	       : receive->flags & HB_FAILED  ? "failed"
					     : "unknown";
}

static uint32_t receiver(const struct cursor *s)
{
	const hb_model *m = s->c.sql->model;
	return s->receive != HB_NO ? process_of_line(m, hb_model_receives(m)[s->receive].line)
				   : hb_model_channels(m)[hb_model_sends(m)[s->send].channel].dest;
}

static int64_t tag(const struct cursor *s)
{
	const hb_model *m = s->c.sql->model;
	if (s->send == HB_NO)
		return hb_model_specs(m)[hb_model_receives(m)[s->receive].spec].tag;
	const hb_channel *c = &hb_model_channels(m)[hb_model_sends(m)[s->send].channel];
	return hb_model_tag(m, c->group, c->tag);
}

/* Compares what costs nothing; SQLite checks all of it again. */
static bool wanted(const struct cursor *s)
{
	const hb_sql_cursor *c = &s->c;
	const hb_model *m = c->sql->model;
	if (c->text[STATE] && strcmp(c->text[STATE], state(s)) != 0)
		return false;
	if (s->send != HB_NO && !hb__sql_within(c, SEND_EVENT, hb_model_sends(m)[s->send].event))
		return false;
	if (s->send != HB_NO && bounded(c, SENDER) &&
		!hb__sql_within(c, SENDER, hb__sql_line_rank(c->sql, hb_model_sends(m)[s->send].line)))
		return false;
	if (bounded(c, RECEIVER) && !hb__sql_within(c, RECEIVER, hb__sql_rank(c->sql, receiver(s))))
		return false;
	if (bounded(c, POST_EVENT) &&
		(s->receive == HB_NO || !hb__sql_within(c, POST_EVENT, hb_model_receives(m)[s->receive].post)))
		return false;
	if (bounded(c, DONE_EVENT) &&
		(s->receive == HB_NO || !hb__sql_within(c, DONE_EVENT, hb_receive_done(m, s->receive).event)))
		return false;
	if (bounded(c, BYTES) && (s->send == HB_NO || !hb__sql_within(c, BYTES, (double)hb_send_bytes(m, s->send))))
		return false;
	return !bounded(c, TAG) || hb__sql_within(c, TAG, tag(s));
}

static int next(hb_sql_cursor *c)
{
	struct cursor *s = (struct cursor *)c;
	const hb_model *m = c->sql->model;
	while (s->at_send < s->end_send) {
		s->send = item(s->sends, s->at_send++);
		s->receive = hb_model_sends(m)[s->send].receive;
		if (wanted(s))
			return 1;
	}
	while (s->at_receive < s->end_receive) {
		s->receive = item(s->receives, s->at_receive++);
		s->send = hb_model_receives(m)[s->receive].send;
		if (s->send != HB_NO && !s->by_receiver)
			continue;
		if (wanted(s))
			return 1;
	}
	return 0;
}

/* ---- columns ---- */

static void give_latency(struct cursor *s, sqlite3_context *out)
{
	struct hb_sql *sql = s->c.sql;
	hb_fact from, to;
	if (s->send == HB_NO || s->receive == HB_NO)
		return;
	hb_at send = hb_send_at(sql->model, s->send), done = hb_receive_done(sql->model, s->receive);
	if (!done.event || !hb__fact(sql->facts, send, &from) || !hb__fact(sql->facts, done, &to) || !to.returned ||
		!to.exit)
		return;
	uint32_t sender = sql->log_of_process[process_of_line(sql->model, send.line)];
	uint32_t receiving = sql->log_of_process[process_of_line(sql->model, done.line)];
	sqlite3_result_double(out, hb__sql_time(sql, receiving, to.exit) - hb__sql_time(sql, sender, from.enter));
}

static void give_end(struct cursor *s, sqlite3_context *out, int column)
{
	static const enum hb_sql_part send_parts[] = {
		HB_SQL_LANE, HB_SQL_EVENT, HB_SQL_CALL, HB_SQL_PLACE, HB_SQL_ENTER, HB_SQL_EXIT};
	static const enum hb_sql_part done_parts[] = {
		HB_SQL_LANE, HB_SQL_EVENT, HB_SQL_CALL, HB_SQL_PLACE, HB_SQL_ENTER, HB_SQL_EXIT};
	struct hb_sql *sql = s->c.sql;
	if (column <= SEND_EXIT && s->send != HB_NO)
		hb__sql_part(sql, out, hb_send_at(sql->model, s->send), send_parts[column - SEND_LANE]);
	else if (column >= DONE_LANE && s->receive != HB_NO)
		hb__sql_part(sql, out, hb_receive_done(sql->model, s->receive), done_parts[column - DONE_LANE]);
	else if (column >= POST_LANE && column <= POST_ENTER && s->receive != HB_NO)
		hb__sql_part(sql, out, hb_receive_post(sql->model, s->receive), send_parts[column - POST_LANE]);
}

static void give_flag(const struct cursor *s, sqlite3_context *out, int column)
{
	const hb_model *m = s->c.sql->model;
	unsigned sent = s->send == HB_NO ? 0 : hb_model_sends(m)[s->send].flags;
	unsigned received = s->receive == HB_NO ? 0 : hb_model_receives(m)[s->receive].flags;
	const hb_spec *spec = s->receive == HB_NO ? NULL : &hb_model_specs(m)[hb_model_receives(m)[s->receive].spec];
	if (column == SYNCHRONOUS && s->send != HB_NO)
		sqlite3_result_int(out, (sent & HB_SYNCHRONOUS) != 0);
	else if (column == AMBIGUOUS)
		sqlite3_result_int(out, ((sent | received) & HB_AMBIGUOUS) != 0);
	else if (column == FAILED)
		sqlite3_result_int(out, (received & HB_FAILED) != 0);
	else if (column == ANY_SOURCE && spec)
		sqlite3_result_int(out, spec->any_source);
	else if (column == ANY_TAG && spec)
		sqlite3_result_int(out, spec->tag == HB_ANY_TAG);
	else if (column == ASKED_SOURCE && spec && spec->source != HB_NO)
		sqlite3_result_int(out, hb__sql_rank(s->c.sql, spec->source));
	else if (column == ASKED_TAG && spec)
		sqlite3_result_int(out, spec->tag);
}

static void give_rank(const struct hb_sql *sql, sqlite3_context *out, uint32_t process)
{
	if (process != HB_NO)
		sqlite3_result_int(out, hb__sql_rank(sql, process));
}

static void give_world(const hb_model *m, sqlite3_context *out, uint32_t process)
{
	if (process != HB_NO)
		sqlite3_result_int64(out, hb_model_processes(m)[process].world);
}

static int give(hb_sql_cursor *c, sqlite3_context *out, int column)
{
	struct cursor *s = (struct cursor *)c;
	const hb_model *m = c->sql->model;
	uint32_t group = s->send != HB_NO ? hb_model_channels(m)[hb_model_sends(m)[s->send].channel].group
					  : hb_model_specs(m)[hb_model_receives(m)[s->receive].spec].group;
	switch (column) {
	case STATE:
		hb__sql_text(out, state(s));
		break;
	case SENDER:
		if (s->send != HB_NO)
			give_rank(c->sql, out, process_of_line(m, hb_model_sends(m)[s->send].line));
		break;
	case RECEIVER:
		give_rank(c->sql, out, receiver(s));
		break;
	case SENDER_WORLD:
		if (s->send != HB_NO)
			give_world(m, out, process_of_line(m, hb_model_sends(m)[s->send].line));
		break;
	case RECEIVER_WORLD:
		give_world(m, out, receiver(s));
		break;
	case COMM:
		hb__sql_text(out, hb_model_group_name(m, group));
		break;
	case COMMUNICATOR:
		sqlite3_result_int64(out, group);
		break;
	case TAG:
		if (tag(s) != HB_ABSENT)
			sqlite3_result_int64(out, tag(s));
		break;
	case BYTES:
		if (s->send != HB_NO)
			sqlite3_result_int64(out, (int64_t)hb_send_bytes(m, s->send));
		break;
	case LATENCY:
		give_latency(s, out);
		break;
	default:
		if (column < COMM)
			give_end(s, out, column);
		else
			give_flag(s, out, column);
	}
	return 0;
}

static double rows(const struct hb_sql *sql) { return (double)sql->events / 2; }

const hb_sql_table hb__sql_messages = {
	.name = "messages",
	.help = "a row for each message sent, with its send and its receive, and for each receive that got none",
	.columns = columns,
	.size = sizeof(struct cursor),
	.rows = rows,
	.start = start,
	.next = next,
	.column = give,
};
