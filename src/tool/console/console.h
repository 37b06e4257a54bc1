/* A console: a connection to the manager, and how its rows are shown. */
#ifndef HBDB_TOOL_CONSOLE_H
#define HBDB_TOOL_CONSOLE_H

#include <signal.h>

#include "../options.h"
#include "system/wire/wire.h"

typedef struct hb_asker hb_asker;

/* Connects to the manager at `socket` (NULL: its place). 0, or the exit code after having said why not, and how to begin one. */
int hb__asker_open(const char *socket, hb_asker **ret_console);
/* The same at a path, without a word: NULL, and why not (free it). */
hb_asker *hb__asker_reach(const char *path, char **ret_error);
void hb__asker_close(hb_asker *console);

/* Asks and waits for the answer. ask: taken over. *ret_answer (may be NULL): cJSON_Delete. 0, or the exit code after having said why. */
int hb__asker_ask(hb_asker *console, const char *name, cJSON *ask, cJSON **ret_answer);
/* The same without a word, for so many seconds; *ret_error (free it): why not, NULL: nothing. After no answer it can only be closed. */
int hb__asker_try(
	hb_asker *console, const char *name, cJSON *ask, double seconds, cJSON **ret_answer, char **ret_error);
/* Waits for what comes. False: the manager is gone, and why; valid until hb__asker_close. */
bool hb__asker_there(hb_asker *console, int wait_ms, const char **ret_why);
/* A list of an answer, in as many answers as it takes; ask: taken over, NULL: no fields. cJSON_Delete. */
int hb__asker_list(hb_asker *console, const char *what, cJSON *ask, const char *list, cJSON **ret_rows);
/* All rows of a kind, in as many answers as it takes; ask: taken over, NULL: all. cJSON_Delete. */
int hb__asker_rows(hb_asker *console, const char *what, cJSON *ask, cJSON **ret_rows);
/* News that come while an ask waits, or by hb__asker_wait. */
void hb__asker_news(hb_asker *console, void (*news)(void *user, const char *name, const cJSON *news), void *user);
/* From here on SIGINT and SIGTERM wait for hb__asker_wait: those. */
sigset_t hb__asker_signals(void);
/* Takes in news until the connection ends or a signal asks to end. 0, or the exit code after having said why. */
int hb__asker_wait(hb_asker *console);

/* The connection itself: owned by the console. */
hb_wire *hb__asker_wire(hb_asker *console);

/* ---- there.c ---- */
/* Runs a command on a node, through its agent: it reads our standard input, and what it writes is written to our standard output. It ends with us. argv: NULL
 * ended. Its exit status (128 + signal when one killed it), or an exit code after having said why it was not run, or how it was lost. */
int hb__run_there(hb_asker *console, const char *node, char *const *argv);

/* ---- show.c ---- */
const char *hb__field(
	const cJSON *row, const char *name); /* a text, a number as text, "" for none; valid for the next few calls */
/* Rows as JSON, an object a line. */
void hb__print_rows(const cJSON *rows);
/* A column of a table: its head, what stands in it of a row (valid for the next few calls). */
typedef struct hb_table_column {
	const char *head;
	const char *(*text)(const cJSON *row);
} hb_table_column;
/* An aligned table; columns end with a NULL head. */
void hb__print_table(const cJSON *rows, const hb_table_column *columns);
/* All rows of a kind as a table, or with --json an object a line; none: what is said where there are none. 0, or the exit code after having said why. */
int hb__list_rows(
	const hb_args *args, hb_asker *console, const char *what, const hb_table_column *columns, const char *none);
/* How long ago a time in microseconds since 1970 was, in short. */
const char *hb__ago(double time);
/* A line for an event. */
void hb__print_event(const cJSON *event);

/* ---- named.c ---- */
/* What `solver`, `solver:3` or `#12` names: into the field `program` or `process` of ask. 0, or the exit code after having said why. */
int hb__named_in(hb_asker *console, const char *name, bool program_only, cJSON *ask);

#endif
