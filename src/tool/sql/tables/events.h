/* The table of events: what its reading (events.c) and its columns (event_columns.c) share. */
#ifndef HBDB_SQL_EVENTS_H
#define HBDB_SQL_EVENTS_H

#include "../sql.h"

enum hb_sql_event_column {
	RANK,
	LANE,
	EVENT,
	CALL,
	CLASS,
	PLACE,
	FILE_NAME,
	LINE,
	ENTER,
	EXIT,
	DURATION,
	PEER,
	TAG,
	COMM,
	COUNT,
	DATATYPE,
	BYTES,
	SOURCE,
	SOURCE_TAG,
	ANY_SOURCE,
	ANY_TAG,
	CHOICE,
	POLLS,
	ERROR_CLASS,
	POSTING,
	POSTS,
	COMPLETED,
	NEW_COMM,
	RETURNED,
	ARGUMENTS,
	WORLD,
	PID,
	SKIPPED,
	LAMPORT,
	CLOCK,
	PROCESS,
	LAYER,
};

/* A lane that is read forward. It stays open, so that a join that asks for later and later events reads it once. */
struct hb_sql_lane {
	hb_events *events;
	hb_event event; /* the one read last */
	hb_row row;     /* its row */
	uint64_t begin; /* it was opened before this event */
	uint64_t last;  /* number of the event read last, or begin - 1 */
	bool held, ended;
};

#define OPEN_MAX 64

struct hb_sql_events {
	hb_sql_cursor c;
	struct hb_sql_lane **lanes; /* by log */
	unsigned open;
	size_t log;
	uint32_t number;          /* of the lane */
	struct hb_sql_lane *lane; /* NULL: the next one is to be found */
	uint64_t from, to;
	bool *wanted;           /* functions of the log, NULL: all */
	int8_t *counts, *types; /* of the functions of the log: places of arguments, -1 none, -2 not looked up */
	size_t known;           /* the log that these belong to */
};

extern const hb_sql_column hb__sql_event_columns[];
int hb__sql_event_column(hb_sql_cursor *c, sqlite3_context *out, int column);
/* At level order there are no times. */
static inline bool hb__sql_timed(const struct hb_sql_lane *lane)
{
	return lane->event.row->enter || lane->event.row->exit;
}

#endif
