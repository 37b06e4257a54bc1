/* The columns of the table of events. */
#include <stdio.h>
#include <stdlib.h>

#include "events.h"
#include "format/row.h"

const hb_sql_column hb__sql_event_columns[] = {
	{"rank", "INTEGER", 0, HB_SQL_BY_RANK, "the process, by its rank in MPI_COMM_WORLD"},
	{"lane", "INTEGER", 0, HB_SQL_BY_LANE, "the thread; 0 is the one that called MPI_Init"},
	{"event", "INTEGER", 0, HB_SQL_BY_EVENT, "the number of the event in its lane, from 1"},
	{"call", "TEXT", 0, HB_SQL_BY_TEXT, "the function, as MPI_Recv"},
	{"class", "TEXT", 0, HB_SQL_BY_TEXT,
		"its kind: local, send, recv, complete, probe, collective, comm, rma, io, special; of the program itself: event, begin, end, sent, received"},
	{"place", "TEXT", 0, HB_SQL_NO_KEY, "file and line of the call, or program and offset"},
	{"file", "TEXT", 0, HB_SQL_NO_KEY, "the file, as the compiler wrote it"},
	{"line", "INTEGER", 0, HB_SQL_NO_KEY, "the line"},
	{"enter", "REAL", HB_SQL_TIMES, HB_SQL_BY_VALUE,
		"when the call was entered, in seconds from the start of the recording"},
	{"exit", "REAL", HB_SQL_TIMES, HB_SQL_BY_VALUE, "when it returned"},
	{"duration", "REAL", HB_SQL_TIMES, HB_SQL_NO_KEY, "the seconds between"},
	{"peer", "INTEGER", 0, HB_SQL_NO_KEY,
		"destination, source or root as asked for, in the communicator; -1 any source, -2 MPI_PROC_NULL, -3 MPI_ROOT"},
	{"tag", "INTEGER", 0, HB_SQL_NO_KEY, "the tag as asked for; -1 any"},
	{"comm", "TEXT", 0, HB_SQL_NO_KEY,
		"the communicator, as hbdb dump names it: WORLD, SELF, or its number in the process"},
	{"count", "INTEGER", 0, HB_SQL_NO_KEY, "the count as given"},
	{"datatype", "TEXT", 0, HB_SQL_NO_KEY, "the datatype as given"},
	{"bytes", "INTEGER", 0, HB_SQL_NO_KEY, "of the message received, else count times size of the datatype"},
	{"source", "INTEGER", 0, HB_SQL_NO_KEY, "where the message received came from, when the call told it"},
	{"source_tag", "INTEGER", 0, HB_SQL_NO_KEY, "the tag of that message"},
	{"any_source", "INTEGER", 0, HB_SQL_NO_KEY, "1: received or probed with MPI_ANY_SOURCE; NULL: neither"},
	{"any_tag", "INTEGER", 0, HB_SQL_NO_KEY, "1: with MPI_ANY_TAG"},
	{"choice", "INTEGER", HB_SQL_HISTORY, HB_SQL_NO_KEY, "1: MPI could have answered otherwise"},
	{"polls", "INTEGER", 0, HB_SQL_NO_KEY, "how often polls had answered no since the event before"},
	{"error", "TEXT", 0, HB_SQL_NO_KEY, "the error class that the call returned, as ERR_RANK; NULL: success"},
	{"posting", "INTEGER", HB_SQL_HISTORY, HB_SQL_NO_KEY, "the number of the first request that the call made"},
	{"posts", "INTEGER", 0, HB_SQL_NO_KEY, "how many it made"},
	{"completed", "INTEGER", HB_SQL_HISTORY, HB_SQL_NO_KEY,
		"the posting of the request that it completed, when it was one"},
	{"new_comm", "TEXT", 0, HB_SQL_NO_KEY, "the communicator that it made"},
	{"returned", "INTEGER", 0, HB_SQL_NO_KEY, "0: the call never returned, it is where the process hung or ended"},
	{"arguments", "TEXT", HB_SQL_HIDDEN, HB_SQL_NO_KEY, "all arguments as one text, as hbdb dump prints them"},
	{"world", "INTEGER", HB_SQL_HIDDEN, HB_SQL_NO_KEY,
		"number of the process's MPI_COMM_WORLD: 0 the one that was started"},
	{"pid", "INTEGER", HB_SQL_HIDDEN, HB_SQL_NO_KEY, "the number of the process in the system"},
	{"skipped", "INTEGER", HB_SQL_HIDDEN, HB_SQL_NO_KEY,
		"at level racing: receives before this event that are not stored"},
	{"lamport", "INTEGER", HB_SQL_HIDDEN | HB_SQL_LAMPORT, HB_SQL_NO_KEY, "Lamport's time of its exit"},
	{"clock", "TEXT", HB_SQL_HIDDEN, HB_SQL_NO_KEY,
		"its vector clock as a JSON array: how many events of each lane, those of rank 0 first, came before it"},
	{"process", "TEXT", HB_SQL_HIDDEN, HB_SQL_NO_KEY,
		"the name of the process: its rank, of another world RANK@WORLD, without MPI its program"},
	{"layer", "TEXT", HB_SQL_HIDDEN, HB_SQL_NO_KEY,
		"whose function it is: mpi, user (events of the program itself)"},
	{0},
};

static void give_arguments(sqlite3_context *out, const hb_view *view, const hb_event *ev)
{
	static const char *const before[] = {"", "", "", "", "type#", "op#", "win#", "file#", "~", "text#"};
	sqlite3_str *text = sqlite3_str_new(NULL);
	for (uint32_t i = 0; i < hb_event_fields(ev); i++) {
		hb_field f = hb_event_field(ev, i);
		const char *word = hb__word(view->log, f.kind, f.value);
		double real;
		memcpy(&real, &f.value, sizeof real);
		sqlite3_str_appendf(text, "%s%s=", i ? ", " : "", f.name);
		if (word)
			sqlite3_str_appendall(text, word);
		else if (f.kind == HB_RECORDED_TEXT && f.value == HB_NONE)
			sqlite3_str_appendall(text, "NULL");
		else if (f.kind == HB_RECORDED_REAL)
			sqlite3_str_appendf(text, "%!.17g", real);
		else if (f.kind == HB_RECORDED_UNSIGNED)
			sqlite3_str_appendf(text, "%llu", (unsigned long long)f.value);
		else if (f.kind < sizeof before / sizeof *before)
			sqlite3_str_appendf(
				text, *before[f.kind] == '~' ? "%s%llx" : "%s%lld", before[f.kind], f.value);
	}
	char *all = sqlite3_str_finish(text);
	sqlite3_result_text(out, all ? all : "", -1, SQLITE_TRANSIENT);
	sqlite3_free(all);
}

static void give_datatype(sqlite3_context *out, const hb_log *log, int64_t number)
{
	char text[32];
	const hb_datatype *type = number >= 0 && number < HB_NO ? hb_log_datatype(log, (uint32_t)number) : NULL;
	if (number < 0 || (type && type->name && *type->name)) {
		hb__sql_text(out, number >= 0 ? type->name : number == HB_NONE ? "NULL" : NULL);
		return;
	}
	snprintf(text, sizeof text, "type#%lld", (long long)number);
	sqlite3_result_text(out, text, -1, SQLITE_TRANSIENT);
}

/* The cut of an event is its vector clock. */
static int give_clock(struct hb_sql_events *e, sqlite3_context *out)
{
	struct hb_sql *sql = e->c.sql;
	hb_error err = {0};
	if (hb__sql_model(&e->c))
		return -1;
	uint32_t n = hb_model_get_info(sql->model)->lines;
	uint32_t process = sql->process_of_log[e->log];
	hb_at at = {hb_model_processes(sql->model)[process].first_line + e->number, (uint32_t)e->lane->last};
	uint32_t *clock = hb__alloc((n + 1) * sizeof *clock);
	hb_stop *stops = hb__alloc((n + 1) * sizeof *stops);
	int failed = hb_cut(sql->model, at, clock, stops, &err) ? hb__sql_fail_log(&e->c, NULL, &err) : 0;
	sqlite3_str *text = sqlite3_str_new(NULL);
	for (uint32_t i = 0; i < n; i++)
		sqlite3_str_appendf(text, "%s%u", i ? "," : "[", clock[i]);
	sqlite3_str_appendall(text, n ? "]" : "[]");
	char *all = sqlite3_str_finish(text);
	sqlite3_result_text(out, all, -1, SQLITE_TRANSIENT);
	sqlite3_free(all);
	free(clock);
	free(stops);
	return failed;
}

static int64_t argument(const hb_row *row, int8_t at)
{
	return at >= 0 && (uint32_t)at < row->nargs ? row->arg[at] : HB_ABSENT;
}

/* The answer of a call that completed one request. */
static const hb_answer *answer(const hb_event *ev)
{
	return ev->nanswers == 1 && ev->shape >= HB_SHAPE_STATUS && ev->shape <= HB_SHAPE_SOME ? ev->answers : NULL;
}

static void give_time(struct hb_sql_events *e, sqlite3_context *out, int column)
{
	const hb_row *row = e->lane->event.row;
	if (!hb__sql_timed(e->lane) || (column != ENTER && e->lane->ended))
		return;
	if (column == DURATION)
		sqlite3_result_double(
			out, (double)(int64_t)hb_ticks_ns(e->c.sql->views[e->log].info, row->exit - row->enter) / 1e9);
	else
		hb__sql_seconds(out, e->c.sql, e->log, column == ENTER ? row->enter : row->exit);
}

static void give_place(struct hb_sql_events *e, sqlite3_context *out, int column)
{
	const hb_place *place = hb__view_place(&e->c.sql->views[e->log], e->lane->event.row->site);
	if (!place)
		return;
	if (column == PLACE)
		hb__sql_text(out, place->text);
	else if (column == FILE_NAME)
		hb__sql_text(out, place->file);
	else if (place->file)
		sqlite3_result_int(out, place->line);
}

static void give_message(const hb_event *ev, sqlite3_context *out, int column)
{
	const hb_answer *a = answer(ev);
	int64_t bytes = a && a->bytes != HB_ABSENT ? a->bytes : ev->bytes;
	switch (column) {
	case BYTES:
		hb__sql_number(out, bytes == -1 ? HB_ABSENT : bytes);
		break;
	case SOURCE:
		hb__sql_number(out, a ? a->source : ev->source);
		break;
	case SOURCE_TAG:
		hb__sql_number(out, a ? a->tag : ev->source_tag);
		break;
	case ANY_SOURCE:
		if (ev->from != HB_ABSENT)
			sqlite3_result_int(out, ev->from == HB_ANY_SOURCE);
		break;
	case ANY_TAG:
		if (ev->from != HB_ABSENT && ev->from_tag != HB_ABSENT)
			sqlite3_result_int(out, ev->from_tag == HB_ANY_TAG);
		break;
	case COMPLETED:
		if (a && a->request.posting >= 0)
			sqlite3_result_int64(out, a->request.posting);
		break;
	default:
		break;
	}
}

static int give_hidden(struct hb_sql_events *e, sqlite3_context *out, int column)
{
	const struct hb_sql *sql = e->c.sql;
	const hb_view *view = &sql->views[e->log];
	if (column == ARGUMENTS)
		give_arguments(out, view, &e->lane->event);
	else if (column == WORLD)
		sqlite3_result_int64(out, view->world);
	else if (column == PID)
		sqlite3_result_int64(out, view->info->pid);
	else if (column == SKIPPED)
		sqlite3_result_int64(out, (int64_t)e->lane->event.row->skipped);
	else if (column == CLOCK)
		return give_clock(e, out);
	else if (column == PROCESS)
		hb__sql_text(out, view->name);
	else if (column == LAYER)
		hb__sql_text(out, e->lane->event.function ? e->lane->event.function->layer : NULL);
	else if (sql->lamport) {
		uint32_t first = hb_model_processes(sql->model)[sql->process_of_log[e->log]].first_line;
		sqlite3_result_int64(out, sql->lamport[first + e->number][e->lane->last - 1]);
	}
	return 0;
}

static int give_rest(struct hb_sql_events *e, sqlite3_context *out, int column)
{
	const hb_event *ev = &e->lane->event;
	switch (column) {
	case CHOICE:
		sqlite3_result_int(out, ev->choice);
		break;
	case POLLS:
		sqlite3_result_int64(out, (int64_t)ev->row->polls);
		break;
	case ERROR_CLASS:
		hb__sql_error(out, ev->row->result);
		break;
	case POSTING:
		hb__sql_number(out, ev->posts ? ev->posting : HB_ABSENT);
		break;
	case POSTS:
		sqlite3_result_int64(out, ev->posts);
		break;
	case NEW_COMM:
		hb__sql_comm(out, ev->made);
		break;
	case RETURNED:
		sqlite3_result_int(out, !e->lane->ended);
		break;
	default:
		if (column >= ARGUMENTS)
			return give_hidden(e, out, column);
		give_message(ev, out, column);
	}
	return 0;
}

int hb__sql_event_column(hb_sql_cursor *c, sqlite3_context *out, int column)
{
	struct hb_sql_events *e = (struct hb_sql_events *)c;
	const hb_event *ev = &e->lane->event;
	const hb_row *row = ev->row;
	const hb_view *view = &c->sql->views[e->log];
	bool function = row->function < view->info->functions;
	switch (column) {
	case RANK:
		sqlite3_result_int(out, view->info->rank);
		break;
	case LANE:
		sqlite3_result_int64(out, e->number);
		break;
	case EVENT:
		sqlite3_result_int64(out, (int64_t)row->number);
		break;
	case CALL:
		hb__sql_text(out, ev->function ? ev->function->name : NULL);
		break;
	case CLASS:
		hb__sql_text(out, ev->function ? hb__class_name(ev->function->cls) : NULL);
		break;
	case PLACE:
	case FILE_NAME:
	case LINE:
		give_place(e, out, column);
		break;
	case ENTER:
	case EXIT:
	case DURATION:
		give_time(e, out, column);
		break;
	case PEER:
		hb__sql_number(out, ev->peer);
		break;
	case TAG:
		hb__sql_number(out, ev->tag);
		break;
	case COMM:
		hb__sql_comm(out, ev->comm);
		break;
	case COUNT:
		hb__sql_number(out, function ? argument(row, e->counts[row->function]) : HB_ABSENT);
		break;
	case DATATYPE:
		if (function && argument(row, e->types[row->function]) != HB_ABSENT)
			give_datatype(out, view->log, argument(row, e->types[row->function]));
		break;
	default:
		return give_rest(e, out, column);
	}
	return 0;
}
