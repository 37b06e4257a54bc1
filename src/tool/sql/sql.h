/* The recording as tables of SQLite, without a copy: each table is a description and a way to go through its rows.
 * docs/man/hbdb-sql.1.scd names the columns for users. */
#ifndef HBDB_SQL_H
#define HBDB_SQL_H

#include <sqlite3.h>

#include "../run/events.h"
#include "../run/run.h"
#include "../show/progress.h"

enum {                      /* what a column costs beside reading the row */
	HB_SQL_HIDDEN = 1,  /* not in `SELECT *` */
	HB_SQL_HISTORY = 2, /* rests on the events before: the lane is read from its first */
	HB_SQL_LAMPORT = 4, /* needs the clocks of all events */
	HB_SQL_TIMES = 8,   /* times are decoded only for these */
};

typedef enum { /* a condition on the column is handed down, and this is the share of rows that one value keeps */
	HB_SQL_NO_KEY,
	HB_SQL_BY_RANK,
	HB_SQL_BY_LANE,
	HB_SQL_BY_EVENT,
	HB_SQL_BY_VALUE, /* a tenth */
	HB_SQL_BY_TEXT,  /* a tenth; equality only */
} hb_sql_key;

typedef struct hb_sql_column {
	const char *name, *type; /* INTEGER, REAL or TEXT; NULL name ends a table */
	uint8_t flags;
	hb_sql_key key;
	const char *help;
} hb_sql_column;

#define HB_SQL_COLUMNS_MAX 48

struct hb_sql;
typedef struct hb_sql_table hb_sql_table;

/* Going through the rows of a table: the beginning of every cursor. The bounds, by column, are what the query asks for;
 * a table may give more rows than these, never fewer. */
typedef struct hb_sql_cursor {
	sqlite3_vtab_cursor base;
	struct hb_sql *sql;
	const hb_sql_table *table;
	unsigned flags; /* of the columns that are used */
	double low[HB_SQL_COLUMNS_MAX], high[HB_SQL_COLUMNS_MAX];
	char *text[HB_SQL_COLUMNS_MAX]; /* NULL: any */
	bool ended;
	int64_t rowid;
} hb_sql_cursor;

struct hb_sql_table {
	const char *name, *help;
	const hb_sql_column *columns;
	size_t size; /* of its cursors */
	int variant;
	double (*rows)(const struct hb_sql *sql); /* how many there may be */
	double (*seek)(const struct hb_sql *sql); /* what it costs to start anew, in rows; NULL: nothing */
	bool ordered;                             /* by its keys of rank, lane and event */
	/* 0, or -1 after hb__sql_fail. A cursor is started anew for each set of bounds. */
	int (*start)(hb_sql_cursor *c);
	int (*next)(hb_sql_cursor *c); /* 1: there is a row; 0: the end; -1 */
	int (*column)(hb_sql_cursor *c, sqlite3_context *out, int column);
	void (*stop)(hb_sql_cursor *c);
};

extern const hb_sql_table *const hb__sql_tables[]; /* ended by NULL */
#define HB_SQL_TABLES_MAX 16

/* What all tables of a recording share. */
struct hb_sql {
	const char *recording;
	hb_logs logs;
	hb_view *views; /* by log */
	uint64_t events;
	uint32_t processes, lanes, longest; /* longest: events of a lane */
	bool ordered;                       /* the logs stand in the order of their ranks */
	bool whole;
	uint64_t rows[HB_SQL_TABLES_MAX]; /* given by each table */
	int code;                         /* exit code of the failure, when it was not the query's */
	/* the model, once a table has asked for it */
	hb_model *model;
	uint32_t *process_of_log, *log_of_process; /* HB_NO: its log is missing */
	uint32_t missing, told; /* processes without a log; troubles of the model that have been said */
	hb_facts *facts;
	struct hb_sql_contents *contents; /* by log, once a table has asked for them; NULL: none has */
	struct hb_sql_index *index;
	struct hb_sql_races *races[2];
	uint32_t **lamport; /* by line, then event - 1 */
};

/* recording.c */
int hb__sql_open(const char *recording, struct hb_sql *ret); /* an exit code; the tables may answer all the same */
void hb__sql_close(struct hb_sql *sql);
/* Remembers why a table cannot go on; returns -1. */
int hb__sql_fail(hb_sql_cursor *c, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));
int hb__sql_fail_log(hb_sql_cursor *c, const char *path, const hb_error *err);

/* table.c: registers them all; SQLITE_OK or what SQLite says. */
int hb__sql_register(sqlite3 *db, struct hb_sql *sql);
bool hb__sql_within(const hb_sql_cursor *c, int column, double value);
/* The first and the last of n numbers, counted from `first`, that the bounds of a column leave. */
void hb__sql_range(const hb_sql_cursor *c, int column, uint64_t *low, uint64_t *high);

/* results of columns */
void hb__sql_number(sqlite3_context *out, int64_t value);  /* HB_ABSENT: NULL */
void hb__sql_text(sqlite3_context *out, const char *text); /* lives as long as the recording; NULL: NULL */
void hb__sql_seconds(sqlite3_context *out, const struct hb_sql *sql, size_t log, uint64_t ticks);
void hb__sql_comm(sqlite3_context *out, int64_t number);
void hb__sql_error(sqlite3_context *out, int64_t class);
double hb__sql_time(const struct hb_sql *sql, size_t log, uint64_t ticks);
const char *hb__sql_state(const hb_log_info *info);

/* model.c. 0, or -1 after hb__sql_fail. */
int hb__sql_model(hb_sql_cursor *c);
int hb__sql_lamport(hb_sql_cursor *c);
/* Says the troubles that the model has found since: clocks and races may find some. */
void hb__sql_say_troubles(struct hb_sql *sql);
int32_t hb__sql_rank(const struct hb_sql *sql, uint32_t process); /* -1: HB_NO */
int32_t hb__sql_line_rank(const struct hb_sql *sql, uint32_t line);
/* Columns of an event that is named by the model. */
enum hb_sql_part { HB_SQL_LANE, HB_SQL_EVENT, HB_SQL_CALL, HB_SQL_PLACE, HB_SQL_ENTER, HB_SQL_EXIT };
void hb__sql_part(struct hb_sql *sql, sqlite3_context *out, hb_at at, enum hb_sql_part part);

void hb__sql_index_close(struct hb_sql *sql);
void hb__sql_races_close(struct hb_sql *sql);
void hb__sql_contents_close(struct hb_sql *sql);

/* run.c */
typedef enum { HB_SQL_TABLE, HB_SQL_TSV, HB_SQL_CSV, HB_SQL_JSON } hb_sql_form;
/* Runs the statements of a text and prints what they answer. An exit code. */
int hb__sql_run(struct hb_sql *sql, const char *query, hb_sql_form form, bool header);

/* print.c */
typedef struct hb_sql_printer hb_sql_printer;
hb_sql_printer *hb__sql_printer_open(hb_sql_form form, bool header);
void hb__sql_print_begin(hb_sql_printer *p, sqlite3_stmt *statement);
void hb__sql_print_row(hb_sql_printer *p, sqlite3_stmt *statement);
void hb__sql_print_end(hb_sql_printer *p);
bool hb__sql_print_broken(const hb_sql_printer *p);
/* 0, or errno of what could not be written. */
int hb__sql_printer_close(hb_sql_printer *p);

#endif
