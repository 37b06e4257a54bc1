/* The complex as a database (SQLite): nodes, programs, processes, their states, events, reactions, holds. schema.sql says what stands where.
 *
 * One process writes, the manager; others read the same file at any time. What was put in is there after any death of the writer: each
 * function that changes something does all of it or nothing. News may come twice: the second time changes nothing and makes no event.
 *
 * Functions return HB_OK or what was wrong, in err, too (may be NULL). HB_E_ARGUMENT: what is asked for cannot be: no such name, or it
 * is there already, or somebody else holds it; the message is for the user. HB_E_SYSTEM: the database could not be written.
 * JSON that is taken stays the caller's. Thread safety: one thread at a time. */
#ifndef HBDB_SYSTEM_COMPLEX_COMPLEX_H
#define HBDB_SYSTEM_COMPLEX_COMPLEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cjson/cJSON.h>

#include <hbdb/format.h> /* hb_status, hb_error */

typedef struct hb_complex hb_complex;

/* Opens the database of this path, or makes it, for its owner alone. HB_E_FOREIGN: the file is something else; HB_E_VERSION: a newer hbdb made
 * it; HB_E_DAMAGED. hb_complex_close. */
hb_status hb_complex_open(const char *path, hb_complex **ret_complex, hb_error *err);
void hb_complex_close(hb_complex *complex);
/* Microseconds since 1970: what times in the database are. */
int64_t hb_complex_now(void);
/* Several changes as one: all that is done between is there, or, after a `good` of false, nothing. They may be nested. */
hb_status hb_complex_begin(hb_complex *complex, hb_error *err);
hb_status hb_complex_end(hb_complex *complex, bool good, hb_error *err);

/* ---- nodes ---- */

/* Adds a node, or changes how it is reached. A name is letters, digits and any of ._- */
hb_status hb_complex_node(
	hb_complex *complex, const char *name, const char *platform, const char *address, hb_error *err);
/* Removes it with its processes. Refused while a program begins there, or is held. */
hb_status hb_complex_node_remove(hb_complex *complex, const char *name, hb_error *err);
/* Its number by its name. */
hb_status hb_complex_node_find(hb_complex *complex, const char *name, int64_t *ret_node, hb_error *err);
/* up, down, unknown; why: what was seen. hello: that of its agent, or NULL. An event, where the state is another one now. */
hb_status hb_complex_node_state(
	hb_complex *complex, int64_t node, const char *state, const char *why, const cJSON *hello, hb_error *err);
/* The news `node` of its agent. */
hb_status hb_complex_node_news(hb_complex *complex, int64_t node, const cJSON *news, hb_error *err);

/* ---- processes ---- */

/* How a process ended, by the news that said so. */
typedef enum hb_complex_end_kind { HB_ENDS_NOT, HB_ENDS_EXIT, HB_ENDS_DEATH } hb_complex_end_kind;
/* A *process* as docs/system/agent.md has it, of this node. What is new of it becomes an event: start, stop, go, exit, death. *ret_process (may
 * be NULL): its number. HB_E_ARGUMENT: it lacks pid, began or boot. */
hb_status hb_complex_process(hb_complex *complex, int64_t node, const cJSON *process, hb_complex_end_kind kind,
	int64_t *ret_process, hb_error *err);
/* All processes of the node, as its agent answers `ps`: those that the database takes for alive, and that have not been among them for
 * 10 seconds of the same connection, are gone; at once, when the machine was started anew meanwhile. */
hb_status hb_complex_ps(hb_complex *complex, int64_t node, const cJSON *processes, hb_error *err);
/* The number of a process that is told by pid, began and boot on this node; HB_E_ARGUMENT: it is not known. */
hb_status hb_complex_process_find(
	hb_complex *complex, int64_t node, const cJSON *process, int64_t *ret_process, hb_error *err);

/* ---- programs ---- */

/* Adds a program: name, command [..], node (a name), cwd, environment {..}, record [..], restart. One of that name is changed, unless it runs. */
hb_status hb_complex_program(hb_complex *complex, const cJSON *program, hb_error *err);
hb_status hb_complex_program_remove(hb_complex *complex, const char *name, hb_error *err);
hb_status hb_complex_program_find(hb_complex *complex, const char *name, int64_t *ret_program, hb_error *err);
/* Whether it is to run; and no attempt waits any more. */
hb_status hb_complex_program_wanted(hb_complex *complex, int64_t program, bool wanted, hb_error *err);
/* An agent is asked to begin it, and no answer has come. */
hb_status hb_complex_program_begins(hb_complex *complex, int64_t program, hb_error *err);
/* It was told to end, now. */
hb_status hb_complex_program_ends(hb_complex *complex, int64_t program, hb_error *err);
/* It was begun as this process, into this recording (or NULL); output: the file into which it writes, or NULL. */
hb_status hb_complex_program_begun(hb_complex *complex, int64_t program, int64_t process, const char *recording,
	const char *output, hb_error *err);
/* It could not be begun, and why; when it is tried again (0: not). */
hb_status hb_complex_program_failed(
	hb_complex *complex, int64_t program, const char *why, int64_t retry, hb_error *err);
/* When it is begun again (microseconds since 1970). */
hb_status hb_complex_program_retry(hb_complex *complex, int64_t program, int64_t when, hb_error *err);

/* ---- events ---- */

typedef struct hb_complex_happened {
	int64_t time;                   /* 0: now */
	int64_t node, program, process; /* 0: none; a process brings its program and its node */
	const char *kind, *weight, *text;
	const cJSON *data; /* or NULL */
} hb_complex_happened;
hb_status hb_complex_event(hb_complex *complex, const hb_complex_happened *happened, int64_t *ret_event, hb_error *err);
/* News `finding`, `hang` and `sensor`: an event. A finding, or the same verdict on a recording, that is there already changes nothing. News `recording`: where the processes
 * of a program write. */
hb_status hb_complex_news(hb_complex *complex, int64_t node, const cJSON *news, hb_error *err);
/* The number that the last event has; 0: there is none. */
int64_t hb_complex_last_event(hb_complex *complex);
/* Removes events before this number, and processes that ended before this time and are nobody's main process any more. */
hb_status hb_complex_prune(hb_complex *complex, int64_t event, int64_t time, hb_error *err);
/* How far something has come; 0 where it was never said. */
int64_t hb_complex_mark(hb_complex *complex, const char *name);
hb_status hb_complex_set_mark(hb_complex *complex, const char *name, int64_t value, hb_error *err);

/* ---- reactions ---- */

/* A reaction of a file. */
hb_status hb_complex_reaction(hb_complex *complex, const char *file, int line, const char *condition,
	const char *action, int64_t *ret_reaction, int64_t *ret_last, hb_error *err);
/* Those of the database that were not given since the manager began are off: called before the first one. */
hb_status hb_complex_reactions_off(hb_complex *complex, hb_error *err);
hb_status hb_complex_reaction_fired(hb_complex *complex, int64_t reaction, int64_t time, hb_error *err);

/* ---- holds ---- */

/* What is held: a process, or a program with all of its processes; the other one is 0. who: a user, or USER/NUMBER of a console with which the hold ends. A process that
 * ends is not held any more. */
hb_status hb_complex_hold(
	hb_complex *complex, int64_t process, int64_t program, const char *who, const char *why, hb_error *err);
/* who: NULL for whoever has it. HB_E_ARGUMENT: it is not held, or by another one. */
hb_status hb_complex_release(hb_complex *complex, int64_t process, int64_t program, const char *who, hb_error *err);
/* Whether `who` may move it: HB_E_ARGUMENT with who holds it and why, where that is another one. A program is held where one of its processes is. */
hb_status hb_complex_may(hb_complex *complex, int64_t process, int64_t program, const char *who, hb_error *err);

/* There are no consoles (the manager begins): what they held while they were there is not held any more. */
hb_status hb_complex_consoles_gone(hb_complex *complex, hb_error *err);

/* ---- rows ---- */

/* Rows of `nodes`, `programs`, `processes`, `events`, `reactions` or `holds`, by number, as objects: the columns of schema.sql, beside them node_name,
 * program_name, process_name where there are such; columns with JSON as what they hold. */
typedef struct hb_complex_filter {
	const char *node, *program; /* names; NULL: all */
	int64_t after; /* rows behind the one of this number, of reactions behind so many; 0: from the first on */
	int64_t one;   /* the row of this number alone; 0: all */
	int64_t since; /* events behind this number */
	int64_t most;  /* at most so many, the last ones of events without `since`; 0: all */
} hb_complex_filter;
typedef bool hb_complex_visit(void *user, cJSON *row); /* the row is the caller's of hb_complex_rows; false: stop */
hb_status hb_complex_rows(hb_complex *complex, const char *what, const hb_complex_filter *filter,
	hb_complex_visit *visit, void *user, hb_error *err);
/* The row of this number, NULL: there is none. cJSON_Delete. */
cJSON *hb_complex_row(hb_complex *complex, const char *what, int64_t number);

#endif
