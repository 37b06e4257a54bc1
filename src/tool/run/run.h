/* A recording, opened to be analysed: its logs, how to print them, and the model of the run. */
#ifndef HBDB_RUN_RUN_H
#define HBDB_RUN_RUN_H

#include "../show/line.h"
#include "../store/logs.h"
#include "model/model.h"
#include "model/part/part.h"

typedef struct hb_run {
	char *path; /* of the recording */
	hb_logs logs;
	hb_view *views; /* by log; .log NULL where it could not be opened, or is not of this run */
	hb_model *model;
	uint32_t *log_of; /* by process of the model; HB_NO: its log is missing */
	uint32_t told;    /* troubles of the model that have been printed */
	const hb_team
		*team; /* to be set between hb__begin_run and hb__match_run: with whom the model is divided; NULL */
	bool ended;    /* false: the run goes on, or hbdb was killed */
	char *away;    /* nodes whose part of the recording is missing, "n3, n5"; NULL: none */
} hb_run;

/* Opens all logs of a recording (a path from hb__find_recording) and builds their model, with a progress bar. Says first
 * what is missing. Returns the exit code: 0; 3 when something is missing, and then analysis goes on all the same when
 * ret->model is set; or another one. Close it in any case. */
int hb__open_run(const char *recording, hb_run *ret);
void hb__close_run(hb_run *run);
/* The same in two steps, for who shows something before the model is there. The first says what is missing; it can go on when
 * ret->views is set. The second says nothing and may run in another thread. */
int hb__begin_run(const char *recording, hb_run *ret);
hb_status hb__match_run(hb_run *run, hb_progress *progress, void *user, hb_error *err);
/* Once it is matched: says the troubles of the model. Returns the exit code: 0, or 3 when a process is missing or its log was cut. */
int hb__matched_run(hb_run *run);
/* Says the troubles that the model has found since: its clocks may find some. */
void hb__say_troubles(hb_run *run);

/* Whether all is there that the processes did: no log is missing, cut or the last part of its process only, and the run has ended. */
bool hb__is_whole(const hb_run *run);
/* What is not, of a run that has ended, in clauses; NULL: nothing. Free it. */
char *hb__missing_text(const hb_run *run);

/* Whether a process of the model is a rank of MPI, rather than a program with a name. */
bool hb__has_ranks(const hb_run *run);

/* ---- parts of it, for who opens logs himself ---- */

/* A view for each log that is open; time 0 is the earliest start of a process. */
hb_view *hb__make_views(const hb_logs *logs);
void hb__free_views(hb_view *views, size_t n);

/* Closes the logs that are not of the run that the others are of, and says so. Returns how many. */
size_t hb__drop_strangers(const char *recording, hb_logs *logs);
/* The same; *ret_ended: false when the manifest does not know of the end of the run. */
size_t hb__check_run(const char *recording, hb_logs *logs, bool *ret_ended);

#endif
