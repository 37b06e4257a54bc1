/* The small tables: processes and calls from the heads of the logs, communicators and collectives from the model. */
#include <math.h>
#include <string.h>

#include "../sql.h"

struct cursor {
	hb_sql_cursor c;
	size_t row;    /* process, communicator or collective */
	size_t within; /* function or member */
	bool begun;
};

static double few(const struct hb_sql *sql) { return sql->processes + 1.0; }

static int start_logs(hb_sql_cursor *c)
{
	struct cursor *l = (struct cursor *)c;
	l->row = l->within = 0;
	l->begun = false;
	return 0;
}

static int start_model(hb_sql_cursor *c) { return hb__sql_model(c) ? -1 : start_logs(c); }

/* ---- processes ---- */

enum {
	P_RANK,
	P_WORLD,
	P_PID,
	P_HOST,
	P_PROGRAM,
	P_STATE,
	P_EVENTS,
	P_LANES,
	P_BYTES,
	P_LEVEL,
	P_START,
	P_INSIDE,
	P_LOST,
	P_CUT,
	P_MISSING,
	P_TROUBLE,
	P_NAME,
};

static const hb_sql_column process_columns[] = {
	{"rank", "INTEGER", 0, HB_SQL_BY_RANK, "rank in MPI_COMM_WORLD"},
	{"world", "INTEGER", 0, HB_SQL_NO_KEY,
		"which MPI_COMM_WORLD: 0 the one that was started, others were spawned or started beside it"},
	{"pid", "INTEGER", 0, HB_SQL_NO_KEY, "the number of the process in the system"},
	{"host", "TEXT", 0, HB_SQL_NO_KEY, "the machine that it ran on"},
	{"program", "TEXT", 0, HB_SQL_NO_KEY, "the program's file"},
	{"state", "TEXT", 0, HB_SQL_NO_KEY,
		"finalized; inside: it ended inside MPI; left: without MPI_Finalize; aborted: by MPI_Abort; stopped: it could not "
		"record on; missing: there is no log, or none that can be read"},
	{"events", "INTEGER", 0, HB_SQL_NO_KEY, "how many, over all lanes"},
	{"lanes", "INTEGER", 0, HB_SQL_NO_KEY, "threads that called MPI"},
	{"bytes", "INTEGER", 0, HB_SQL_NO_KEY, "size of the log"},
	{"level", "TEXT", 0, HB_SQL_NO_KEY, "what was recorded: order, events, racing"},
	{"start", "REAL", 0, HB_SQL_NO_KEY, "when it began to record, in seconds after the first process"},
	{"inside", "INTEGER", 0, HB_SQL_NO_KEY, "how many of its threads never returned from a call"},
	{"lost", "INTEGER", 0, HB_SQL_NO_KEY, "events that could not be stored"},
	{"cut", "INTEGER", 0, HB_SQL_NO_KEY, "1: the log is cut or damaged; what is readable ends early"},
	{"missing", "INTEGER", 0, HB_SQL_NO_KEY, "1: there is no log"},
	{"trouble", "TEXT", 0, HB_SQL_NO_KEY, "what is wrong with the log"},
	{"name", "TEXT", 0, HB_SQL_NO_KEY,
		"what it is called: its rank, of another world RANK@WORLD, without MPI its program"},
	{0},
};

/* The logs, and behind them the ranks that have none. */
static int32_t missing_rank(const struct hb_sql *sql, size_t nth)
{
	int32_t rank = 0;
	for (size_t i = 0; i < sql->logs.n; i++) {
		for (; rank < sql->logs.at[i].rank && !sql->logs.at[i].world; rank++)
			if (!nth--)
				return rank;
		rank = sql->logs.at[i].world ? rank : sql->logs.at[i].rank + 1;
	}
	return rank + (int32_t)nth;
}

static int next_process(hb_sql_cursor *c)
{
	struct cursor *l = (struct cursor *)c;
	l->row += l->begun;
	l->begun = true;
	return l->row < c->sql->logs.n + c->sql->missing;
}

static void give_missing(const struct cursor *l, sqlite3_context *out, int column)
{
	const struct hb_sql *sql = l->c.sql;
	if (column == P_RANK)
		sqlite3_result_int(out,
			l->row < sql->logs.n ? sql->logs.at[l->row].rank : missing_rank(sql, l->row - sql->logs.n));
	else if (column == P_STATE)
		hb__sql_text(out, "missing");
	else if (column == P_MISSING)
		sqlite3_result_int(out, 1);
	else if (column == P_TROUBLE)
		hb__sql_text(out, l->row < sql->logs.n ? "the log cannot be read" : "there is no log");
}

static int64_t count_inside(const hb_log *log)
{
	int64_t n = 0;
	hb_lane_info lane;
	for (uint32_t i = 0; i < hb_log_get_info(log)->lanes; i++)
		n += !hb_log_lane(log, i, &lane) && lane.inside;
	return n;
}

static int give_process(hb_sql_cursor *c, sqlite3_context *out, int column)
{
	static const char *const levels[] = {"order", "events", "racing"};
	struct cursor *l = (struct cursor *)c;
	const hb_log *log = l->row < c->sql->logs.n ? c->sql->logs.at[l->row].log : NULL;
	const hb_log_info *info = log ? hb_log_get_info(log) : NULL;
	if (!log) {
		give_missing(l, out, column);
		return 0;
	}
	const int64_t numbers[] = {[P_RANK] = info->rank,
		[P_WORLD] = c->sql->logs.at[l->row].world,
		[P_PID] = info->pid,
		[P_EVENTS] = (int64_t)info->events,
		[P_LANES] = info->lanes,
		[P_BYTES] = (int64_t)info->bytes,
		[P_INSIDE] = column == P_INSIDE ? count_inside(log) : 0,
		[P_LOST] = (int64_t)info->lost,
		[P_CUT] = info->recovered,
		[P_MISSING] = 0};
	const char *const texts[] = {[P_HOST] = info->host,
		[P_PROGRAM] = info->program,
		[P_STATE] = hb__sql_state(info),
		[P_LEVEL] = info->level < 3 ? levels[info->level] : "unknown",
		[P_TROUBLE] = info->recovered ? info->trouble : NULL,
		[P_NAME] = c->sql->views[l->row].name};
	if (column == P_START)
		sqlite3_result_double(out, (double)c->sql->views[l->row].shift_ns / 1e9);
	else if (process_columns[column].type[0] == 'T')
		hb__sql_text(out, texts[column]);
	else
		sqlite3_result_int64(out, numbers[column]);
	return 0;
}

const hb_sql_table hb__sql_processes = {
	.name = "processes",
	.help = "a row for each process",
	.columns = process_columns,
	.size = sizeof(struct cursor),
	.rows = few,
	.start = start_logs,
	.next = next_process,
	.column = give_process,
};

/* ---- calls ---- */

enum { C_RANK, C_CALL, C_CLASS, C_TIMES };

static const hb_sql_column call_columns[] = {
	{"rank", "INTEGER", 0, HB_SQL_BY_RANK, "rank in MPI_COMM_WORLD"},
	{"call", "TEXT", 0, HB_SQL_BY_TEXT, "the function"},
	{"class", "TEXT", 0, HB_SQL_BY_TEXT, "its kind, as in events"},
	{"times", "INTEGER", 0, HB_SQL_NO_KEY, "how often it was called, with the polls that answered no"},
	{0},
};

static const hb_function *function_of(const struct cursor *l)
{
	return hb_log_function(l->c.sql->logs.at[l->row].log, (uint32_t)l->within);
}

static int next_call(hb_sql_cursor *c)
{
	struct cursor *l = (struct cursor *)c;
	const struct hb_sql *sql = c->sql;
	for (l->within += l->begun; l->row < sql->logs.n; l->row++, l->within = 0) {
		l->begun = true;
		if (!sql->logs.at[l->row].log || !hb__sql_within(c, C_RANK, sql->views[l->row].info->rank))
			continue;
		for (; l->within < sql->views[l->row].info->functions; l->within++) {
			const hb_function *f = function_of(l);
			if (f && f->name && f->calls && (!c->text[C_CALL] || !strcmp(c->text[C_CALL], f->name)) &&
				(!c->text[C_CLASS] || !strcmp(c->text[C_CLASS], hb__class_name(f->cls))))
				return 1;
		}
	}
	return 0;
}

static int give_call(hb_sql_cursor *c, sqlite3_context *out, int column)
{
	const struct cursor *l = (struct cursor *)c;
	const hb_function *f = function_of(l);
	if (column == C_RANK)
		sqlite3_result_int(out, c->sql->views[l->row].info->rank);
	else if (column == C_TIMES)
		sqlite3_result_int64(out, (int64_t)f->calls);
	else
		hb__sql_text(out, column == C_CALL ? f->name : hb__class_name(f->cls));
	return 0;
}

static double many(const struct hb_sql *sql) { return sql->processes * 20.0; }

const hb_sql_table hb__sql_calls = {
	.name = "calls",
	.help = "a row for each function that a process called",
	.columns = call_columns,
	.size = sizeof(struct cursor),
	.rows = many,
	.start = start_logs,
	.next = next_call,
	.column = give_call,
};

/* ---- communicators ---- */

enum { G_ID, G_NAME, G_KIND, G_PARENT, G_SIZE, G_MEMBERS, G_REMOTE_SIZE, G_REMOTE, G_GIVEN };

static const hb_sql_column group_columns[] = {
	{"id", "INTEGER", 0, HB_SQL_NO_KEY, "a number of its own in this recording"},
	{"name", "TEXT", 0, HB_SQL_NO_KEY,
		"WORLD, SELF, WORLD.2: the third made from WORLD, WORLD.2:5: the one of these whose first process has rank 5"},
	{"kind", "TEXT", 0, HB_SQL_NO_KEY, "intra, inter or self"},
	{"parent", "INTEGER", 0, HB_SQL_NO_KEY, "the id of the one that it was made from"},
	{"size", "INTEGER", 0, HB_SQL_NO_KEY, "how many processes"},
	{"members", "TEXT", 0, HB_SQL_NO_KEY,
		"their ranks in MPI_COMM_WORLD, in the order of the communicator: a JSON array"},
	{"remote_size", "INTEGER", 0, HB_SQL_NO_KEY, "of an intercommunicator: how many processes on the other side"},
	{"remote", "TEXT", 0, HB_SQL_NO_KEY, "their ranks"},
	{"given_name", "TEXT", 0, HB_SQL_NO_KEY, "what the program called it (MPI_Comm_set_name)"},
	{0},
};

static int next_group(hb_sql_cursor *c)
{
	struct cursor *l = (struct cursor *)c;
	l->row += l->begun;
	l->begun = true;
	return l->row < hb_model_get_info(c->sql->model)->groups;
}

static void give_members(const struct hb_sql *sql, sqlite3_context *out, const uint32_t *member, uint32_t n)
{
	sqlite3_str *text = sqlite3_str_new(NULL);
	sqlite3_str_appendall(text, "[");
	for (uint32_t i = 0; i < n && member; i++) {
		const hb_process *p = member[i] == HB_NO ? NULL : &hb_model_processes(sql->model)[member[i]];
		if (!p)
			sqlite3_str_appendf(text, "%snull", i ? "," : "");
		else if (p->world || !*hb_rank_word(p->name)) /* of another world, or a program: its name */
			sqlite3_str_appendf(text, "%s\"%s\"", i ? "," : "", p->name);
		else
			sqlite3_str_appendf(text, "%s%d", i ? "," : "", hb__sql_rank(sql, member[i]));
	}
	sqlite3_str_appendall(text, "]");
	char *all = sqlite3_str_finish(text);
	sqlite3_result_text(out, all, -1, SQLITE_TRANSIENT);
	sqlite3_free(all);
}

static int give_group(hb_sql_cursor *c, sqlite3_context *out, int column)
{
	const struct cursor *l = (struct cursor *)c;
	const hb_group *g = &hb_model_groups(c->sql->model)[l->row];
	switch (column) {
	case G_ID:
		sqlite3_result_int64(out, (int64_t)l->row);
		break;
	case G_NAME:
		hb__sql_text(out, hb_model_group_name(c->sql->model, l->row));
		break;
	case G_GIVEN: /* name "given" */
		if (g->title && !g->untagged)
			sqlite3_result_text(out, g->title + strlen(g->name) + 2,
				(int)(strlen(g->title) - strlen(g->name) - 3), SQLITE_TRANSIENT);
		break;
	case G_KIND:
		hb__sql_text(out, g->self ? "self" : g->remote_size ? "inter" : "intra");
		break;
	case G_PARENT:
		if (g->parent != HB_NO)
			sqlite3_result_int64(out, g->parent);
		break;
	case G_SIZE:
		sqlite3_result_int64(out, g->size);
		break;
	case G_MEMBERS:
		give_members(c->sql, out, g->member, g->size);
		break;
	default:
		if (!g->remote_size)
			break;
		if (column == G_REMOTE_SIZE)
			sqlite3_result_int64(out, g->remote_size);
		else
			give_members(c->sql, out, g->remote, g->remote_size);
	}
	return 0;
}

const hb_sql_table hb__sql_communicators = {
	.name = "communicators",
	.help = "a row for each communicator, the same for all its processes",
	.columns = group_columns,
	.size = sizeof(struct cursor),
	.rows = few,
	.start = start_model,
	.next = next_group,
	.column = give_group,
};

/* ---- collectives ---- */

enum {
	K_ID,
	K_COMM,
	K_NUMBER,
	K_RANK,
	K_LANE,
	K_EVENT,
	K_CALL,
	K_PLACE,
	K_ENTER,
	K_EXIT,
	K_ROOT,
	K_ORDER,
	K_DIFFERS,
	K_COMMUNICATOR
};

static const hb_sql_column collective_columns[] = {
	{"collective", "INTEGER", 0, HB_SQL_BY_VALUE, "the operation: the rows of its processes have the same number"},
	{"comm", "TEXT", 0, HB_SQL_NO_KEY, "the communicator, by the name that all processes share"},
	{"number", "INTEGER", 0, HB_SQL_NO_KEY, "the number of the operation on it, from 0"},
	{"rank", "INTEGER", 0, HB_SQL_BY_RANK, "the process, by its rank in MPI_COMM_WORLD"},
	{"lane", "INTEGER", 0, HB_SQL_NO_KEY, "the thread"},
	{"event", "INTEGER", 0, HB_SQL_NO_KEY, "the event that entered the operation; NULL: this process did not"},
	{"call", "TEXT", 0, HB_SQL_NO_KEY, "the function"},
	{"place", "TEXT", 0, HB_SQL_NO_KEY, "file and line of the call"},
	{"enter", "REAL", 0, HB_SQL_NO_KEY, "when it was entered"},
	{"exit", "REAL", 0, HB_SQL_NO_KEY,
		"when that call returned (a nonblocking one: before the operation was complete)"},
	{"root", "INTEGER", 0, HB_SQL_NO_KEY, "the root, by its rank in MPI_COMM_WORLD"},
	{"ordering", "TEXT", 0, HB_SQL_NO_KEY,
		"who waits for whom: all; out: all for the root; in: the root for all; scan, exscan: for lower ranks; none"},
	{"differs", "INTEGER", 0, HB_SQL_NO_KEY,
		"1: the processes called different functions, or with different roots"},
	{"communicator", "INTEGER", HB_SQL_HIDDEN, HB_SQL_NO_KEY, "its id in the table communicators"},
	{0},
};

static const hb_collective *collective_of(const struct cursor *l)
{
	return &hb_model_collectives(l->c.sql->model)[l->row];
}

static uint32_t member_of(const struct cursor *l)
{
	const hb_group *g = &hb_model_groups(l->c.sql->model)[collective_of(l)->group];
	const uint32_t *from = l->within < g->size ? g->member : g->remote;
	return from ? from[l->within < g->size ? l->within : l->within - g->size] : HB_NO;
}

static int next_part(hb_sql_cursor *c)
{
	struct cursor *l = (struct cursor *)c;
	const hb_model *m = c->sql->model;
	uint32_t n = hb_model_get_info(m)->collectives;
	if (!l->begun && c->low[K_ID] > 0)
		l->row = c->low[K_ID] < n ? (size_t)ceil(c->low[K_ID]) : n;
	for (l->within += l->begun; l->row < n && (double)l->row <= c->high[K_ID]; l->row++, l->within = 0) {
		l->begun = true;
		const hb_group *g = &hb_model_groups(m)[collective_of(l)->group];
		for (; l->within < (size_t)g->size + g->remote_size; l->within++)
			if (hb__sql_within(c, K_RANK, hb__sql_rank(c->sql, member_of(l))))
				return 1;
	}
	return 0;
}

static int give_part(hb_sql_cursor *c, sqlite3_context *out, int column)
{
	static const char *const orders[] = {"none", "all", "out", "in", "scan", "exscan"};
	static const enum hb_sql_part parts[] = {
		HB_SQL_LANE, HB_SQL_EVENT, HB_SQL_CALL, HB_SQL_PLACE, HB_SQL_ENTER, HB_SQL_EXIT};
	const struct cursor *l = (struct cursor *)c;
	const hb_collective *k = collective_of(l);
	uint32_t member = member_of(l);
	if (column >= K_LANE && column <= K_EXIT) {
		if (member != HB_NO)
			hb__sql_part(c->sql, out, hb_collective_enter(c->sql->model, (uint32_t)l->row, member),
				parts[column - K_LANE]);
	} else if (column == K_COMM)
		hb__sql_text(out, hb_model_groups(c->sql->model)[k->group].name);
	else if (column == K_ORDER)
		hb__sql_text(out, (unsigned)k->order < 6 ? orders[k->order] : NULL);
	else if (column == K_RANK && member != HB_NO)
		sqlite3_result_int(out, hb__sql_rank(c->sql, member));
	else if (column == K_ROOT && k->root != HB_NO)
		sqlite3_result_int(out, hb__sql_rank(c->sql, k->root));
	else if (column != K_RANK && column != K_ROOT)
		sqlite3_result_int64(out, column == K_ID        ? (int64_t)l->row
					  : column == K_NUMBER  ? k->number
					  : column == K_DIFFERS ? k->differs
								: k->group);
	return 0;
}

static double parts(const struct hb_sql *sql) { return (double)sql->events / 4; }

const hb_sql_table hb__sql_collectives = {
	.name = "collectives",
	.help = "a row for each process of each collective operation",
	.columns = collective_columns,
	.size = sizeof(struct cursor),
	.rows = parts,
	.start = start_model,
	.next = next_part,
	.column = give_part,
};
