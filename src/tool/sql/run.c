/* A connection to SQLite that sees the tables of one recording and can write nowhere. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sql.h"

extern const hb_sql_table hb__sql_events, hb__sql_messages, hb__sql_races, hb__sql_all_races, hb__sql_processes,
	hb__sql_communicators, hb__sql_collectives, hb__sql_calls, hb__sql_remarks, hb__sql_data, hb__sql_value;

const hb_sql_table *const hb__sql_tables[] = {&hb__sql_events, &hb__sql_messages, &hb__sql_races, &hb__sql_all_races,
	&hb__sql_processes, &hb__sql_communicators, &hb__sql_collectives, &hb__sql_calls, &hb__sql_remarks,
	&hb__sql_data, &hb__sql_value, NULL};

/* Reading, and tables and views in memory. What could reach a file or change how SQLite works is refused. */
static int allow(void *user, int action, const char *first, const char *second, const char *base, const char *trigger)
{
	static const char *const pragmas[] = {
		"table_info", "table_xinfo", "table_list", "function_list", "module_list"};
	(void)second, (void)base, (void)trigger, (void)user;
	switch (action) {
	case SQLITE_ATTACH:
	case SQLITE_DETACH:
	case SQLITE_CREATE_VTABLE:
	case SQLITE_DROP_VTABLE:
		return SQLITE_DENY;
	case SQLITE_PRAGMA:
		for (size_t i = 0; i < sizeof pragmas / sizeof *pragmas; i++)
			if (!sqlite3_stricmp(first, pragmas[i]))
				return SQLITE_OK;
		return SQLITE_DENY;
	case SQLITE_FUNCTION:
		return second && !sqlite3_stricmp(second, "load_extension") ? SQLITE_DENY : SQLITE_OK;
	default:
		return SQLITE_OK;
	}
}

static int connect_to(struct hb_sql *sql, sqlite3 **ret)
{
	int status = sqlite3_open_v2(
		":memory:", ret, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL);
	if (status)
		return status;
	sqlite3_exec(*ret, "PRAGMA temp_store = MEMORY", NULL, NULL, NULL);
	sqlite3_db_config(*ret, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, NULL);
	sqlite3_db_config(*ret, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_limit(*ret, SQLITE_LIMIT_ATTACHED, 0);
	status = hb__sql_register(*ret, sql);
	if (!status)
		status = sqlite3_set_authorizer(*ret, allow, NULL);
	return status;
}

/* One line: SQLite's messages are, but a name in the query may hold anything. */
static int fail(const struct hb_sql *sql, sqlite3 *db)
{
	char *text = hb__copy(sqlite3_errmsg(db));
	for (char *p = text; *p; p++)
		if ((unsigned char)*p < ' ')
			*p = ' ';
	bool name = !strncmp(text, "no such column", 14) || !strncmp(text, "no such table", 13);
	bool denied = sqlite3_errcode(db) == SQLITE_AUTH;
	int code = sql->code ? sql->code : HB_EXIT_USAGE;
	if (sqlite3_errcode(db) == SQLITE_NOMEM)
		code = HB_EXIT_RECORDING;
	hb__say("%s%s%s",
		sql->code ? "" : "sql: ", denied ? "this statement is not allowed: a recording can only be read" : text,
		name ? " ('hbdb sql --columns' lists all tables and columns)" : "");
	free(text);
	return code;
}

static int run_statement(struct hb_sql *sql, sqlite3 *db, sqlite3_stmt *statement, hb_sql_printer *printer)
{
	bool answers = sqlite3_column_count(statement) > 0;
	int status = sqlite3_step(statement);
	if (status != SQLITE_ROW && status != SQLITE_DONE)
		return fail(sql, db);
	if (answers)
		hb__sql_print_begin(printer, statement);
	for (; status == SQLITE_ROW && !hb__sql_print_broken(printer); status = sqlite3_step(statement))
		hb__sql_print_row(printer, statement);
	if (answers)
		hb__sql_print_end(printer);
	return status == SQLITE_ROW || status == SQLITE_DONE ? 0 : fail(sql, db);
}

static int run_all(struct hb_sql *sql, sqlite3 *db, const char *query, hb_sql_printer *printer)
{
	int code = 0, statements = 0;
	while (*query && !code && !hb__sql_print_broken(printer)) {
		sqlite3_stmt *statement = NULL;
		if (sqlite3_prepare_v2(db, query, -1, &statement, &query))
			return fail(sql, db);
		if (!statement)
			continue; /* a comment, or nothing */
		statements++;
		code = run_statement(sql, db, statement, printer);
		sqlite3_finalize(statement);
	}
	return code || statements || hb__sql_print_broken(printer)
		       ? code
		       : hb__fail_with(HB_EXIT_USAGE, "sql: the query is empty");
}

int hb__sql_run(struct hb_sql *sql, const char *query, hb_sql_form form, bool header)
{
	sqlite3 *db = NULL;
	int code, error;
	if (connect_to(sql, &db))
		code = hb__fail_with(HB_EXIT_RECORDING, "SQLite: %s", db ? sqlite3_errmsg(db) : "out of memory");
	else {
		hb_sql_printer *printer = hb__sql_printer_open(form, header);
		code = run_all(sql, db, query, printer);
		error = hb__sql_printer_close(printer);
		if (error && error != EPIPE)
			code = hb__fail_with(HB_EXIT_RECORDING, "cannot write the output: %s", strerror(error));
	}
	sqlite3_close(db);
	return code;
}
