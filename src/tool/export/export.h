/* Recordings in the formats of other tools: what the formats share. */
#ifndef HBDB_EXPORT_EXPORT_H
#define HBDB_EXPORT_EXPORT_H

#include "../run/run.h"
#include "../show/out.h"
#include "../show/progress.h"
#include "../show/source.h"
#include "format/row.h"

typedef struct hb_export {
	const char *out;      /* -o, or NULL */
	char *name;           /* of the recording, without its folder and suffix */
	const char *ranks;    /* NULL: all */
	const char *table;    /* csv: events, messages, or NULL for both */
	uint64_t first, last; /* events of each lane, counted from 1 */
	bool force;
	hb_run run;           /* its model is NULL where the format needs none */
	uint32_t *process_of; /* by log: the process of the model; HB_NO: none */
	hb_bar bar;
	uint64_t done, all; /* events, for the bar */
	int code;           /* exit code so far */
} hb_export;

/* Each writes all of its output and returns the exit code, having said why when it is not 0. */
#define EXPORT(name, tables) int hb__export_##name(hb_export *x);
#include "exports.def"
#undef EXPORT

/* Whether the options ask for a process, by its log or its number in the model. */
bool hb__export_wants(const hb_export *x, size_t log);
bool hb__export_wants_process(const hb_export *x, uint32_t process);
/* The same for an event of the model. */
bool hb__export_wants_event(const hb_export *x, hb_at at);
/* Counts events on the bar. False: the user interrupted, leave things clean and return. */
bool hb__export_step(hb_export *x, uint64_t events);
/* Says what was written. */
void hb__export_wrote(hb_export *x, const char *path);
/* "rank 3", "rank 3 lane 1", "rank 0 of process 4711" (spawned); free it. */
char *hb__export_line_name(const hb_export *x, size_t log, uint32_t lane);

/* ---- output (target.c) ---- */

typedef struct hb_export_target {
	char *path, *part; /* part NULL: written in place (standard output, a device) */
	hb_output *out;    /* NULL for a folder */
} hb_export_target;

/* Begins a file beside the place where it shall be; "-" is standard output. An existing one is refused unless force.
 * 0, or an exit code after having said why. */
int hb__target_file(const char *path, bool force, hb_export_target *ret);
/* The same for a folder of an OTF2 archive; only such a folder is ever replaced. */
int hb__target_folder(const char *path, bool force, hb_export_target *ret);
/* Moves it into its place when keep, else removes it. Returns 0, or an exit code after having said why. Frees it. */
int hb__target_end(hb_export_target *target, bool keep);

/* ---- texts (names.c) ---- */

/* A text, what is no UTF-8 as '?'; each quote (0: none) twice. */
void hb__put_clean(hb_output *out, const char *text, char quote);

typedef struct hb_names {
	char **text; /* by number */
	uint32_t n, room;
	uint32_t *slot; /* hash table of numbers, HB_NO: empty */
	uint32_t slots;
} hb_names;

/* The number of a text, from 0; *ret_new (may be NULL) tells that it was not there before. */
uint32_t hb__name(hb_names *names, const char *text, bool *ret_new);
void hb__names_free(hb_names *names);

/* ---- the calls of a lane in the order of time (walk.c) ---- */

/* A call at its begin or its end. */
typedef struct hb_call {
	size_t log;
	uint32_t lane;
	int64_t ns; /* of this point; never before the point that was told before */
	const hb_event *event;
	const hb_op *op; /* what it does to the order */
	size_t nops;
} hb_call;
typedef void hb_call_point(void *user, const hb_call *call, bool end);

/* Tells begin and end of each call that the options ask for. A call that never returned has no end.
 * 0, or an exit code after having said why. */
int hb__walk(hb_export *x, size_t log, uint32_t lane, hb_call_point *point, void *user);

#endif
