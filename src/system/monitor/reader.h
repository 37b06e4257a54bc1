/* The manager's database as those see it who show it to others: read only, as it is at the moment. The manager may be there or not, begin the
 * database anew, or put another one in its place. One thread at a time. */
#ifndef HBDB_SYSTEM_MONITOR_READER_H
#define HBDB_SYSTEM_MONITOR_READER_H

#include <stdbool.h>
#include <stdint.h>

#include <sqlite3.h>

typedef struct hb_reader hb_reader;

/* NULL: no memory. Opens nothing yet. */
hb_reader *hb_reader_new(const char *path);
void hb_reader_free(hb_reader *reader);
/* Opens what is not open, or is not the file of that name any more. False: hb_reader_why says why, and the next call tries again. */
bool hb_reader_look(hb_reader *reader);
const char *hb_reader_why(const hb_reader *reader); /* a sentence, "" when it is open. Owned by the reader */
/* The connection; NULL: not open. Owned by the reader. */
sqlite3 *hb_reader_database(hb_reader *reader);
/* A number that changes when a database is opened: what was known of the one before holds no longer. */
uint64_t hb_reader_opened(const hb_reader *reader);

/* A statement, ready to be bound and stepped: kept by the address of its text, which has to stay. Reset it after use, so that the manager can
 * write. NULL: not open, or no statement of this database; hb_reader_why says it. Owned by the reader, gone after a call of hb_reader_look. */
sqlite3_stmt *hb_reader_query(hb_reader *reader, const char *sql);
/* A statement that did not end as it should: the database is closed, and why is noted. */
void hb_reader_failed(hb_reader *reader);
/* The first value of the first row; otherwise when there is none, or it cannot be read. */
int64_t hb_reader_number(hb_reader *reader, const char *sql, int64_t otherwise);

/* Counts the events that are new since the last time, in a table of the connection's own: counted(program, kind, weight, n), program is a name or
 * "". Old events may be removed from the database, and a counter must not fall. The counters begin with what a database has when it is
 * opened; those of the kinds that somebody should look at are there with 0 from the beginning, so that the first one is seen as an increase.
 * False: hb_reader_why. */
bool hb_reader_count(hb_reader *reader);

/* An event of the complex with what is known of whom it is about. Texts are never NULL: "" is not known. */
typedef struct hb_told {
	int64_t event, time; /* microseconds since 1970 */
	char *kind, *weight, *text;
	char *node, *host, *program, *process; /* their names */
	char *recording, *home; /* home: the node where it is, or will be when the parts of several nodes are fetched */
	char *file, *boot, *state;
	int64_t node_number, program_number, process_number; /* 0: of none */
	int64_t pid, began, events, rank;                    /* of the process; rank -1: without MPI */
} hb_told;

/* The event of that number, or the first one behind it. 1: there is one, to be freed with hb_told_free; 0: none; -1: hb_reader_why. */
int hb_reader_event(hb_reader *reader, int64_t event, bool behind, hb_told *ret_told);
void hb_told_free(hb_told *told);
/* What starts the debugger where this event was: words for a shell, without a line feed. The longest is far below 64 bytes. */
void hb_told_command(const hb_told *told, char ret[64]);

#endif
