/* The event graph in the browser: a web server on loopback, and the page (page/). What it answers is in API.md.
 * Nothing here prints or exits. What only the tool knows (how events are printed, source places, how a run is
 * started) it gives as functions.
 *
 * Threads: requests are answered by threads of the server; a thread of its own builds model and layout. What concerns a live
 * run is done by the thread that calls hb_view_turn, and by no other. The model and the functions of hb_view_source are
 * used by one thread at a time. */
#ifndef HBDB_VIEW_VIEW_H
#define HBDB_VIEW_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "model/model.h"
#include "rules/race.h"
#include "session/session.h"
#include "view/layout/layout.h"

typedef struct hb_view_server hb_view_server;

/* A growing text; functions of the tool append to it. Zeroed memory is an empty one; free(at). NUL terminated once something was
 * added. Without memory what was to be added is left out, and broken is set. */
typedef struct hb_text {
	char *at;
	size_t n, room;
	bool broken;
} hb_text;
void hb_text_add(hb_text *text, const char *bytes, size_t n);
void hb_text_put(hb_text *text, const char *string);
void hb_text_format(hb_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void hb_text_json(hb_text *text, const char *string); /* with quotes; bytes that are no UTF-8 become U+FFFD */
void hb_text_number(hb_text *text, double x);         /* the shortest that reads back the same */

/* Where a call stands in the program. */
typedef struct hb_view_place {
	const char *text;   /* farm.c:42, or farm+0x1234 */
	const char *file;   /* as the compiler wrote it, NULL: no line is known */
	const char *module; /* the file of the program or library that the code is in */
	int line;
} hb_view_place;

/* What the tool gives. A false answer means: not to be had. */
typedef struct hb_view_source {
	void *user;
	/* Builds the model, in the thread of the server, once. The model stays the tool's, and open until hb_view_close has returned. */
	hb_status (*build)(void *user, hb_progress *progress, void *progress_user, hb_model **ret_model, hb_error *err);
	/* ---- these are asked once the model is there ---- */
	/* The line of text of `hbdb dump` and the object that `hbdb dump --json` prints for the event (each may be NULL: not wanted), and its
	 * call site: a number of the log of its process. */
	bool (*event)(void *user, hb_at at, hb_text *ret_line, hb_text *ret_json, uint32_t *ret_site);
	/* What the recorder remarked of the event, as a list of the objects of `hbdb dump --remarks --json`; at most `most` of them, *ret_n: how many there are. */
	void (*remarks)(void *user, hb_at at, size_t most, hb_text *ret_json, size_t *ret_n);
	/* What came into the process with the event (level data), as a list of the objects of `hbdb dump --data --json`; likewise. */
	void (*data)(void *user, hb_at at, size_t most, hb_text *ret_json, size_t *ret_n);
	/* The place of a call site of a process. */
	bool (*place)(void *user, uint32_t process, uint32_t site, hb_view_place *ret);
	/* RANK:EVENT and back; RANK or RANK.LANE of a line. *ret_why (when there is no such event): a sentence, valid until the next call. */
	void (*event_name)(void *user, hb_at at, char ret_name[48]);
	void (*line_name)(void *user, uint32_t line, char ret_name[48]);
	bool (*read_event)(void *user, const char *name, hb_at *ret, const char **ret_why);
	/* What a model of a correct run says of this one, and the graph of one of its keys, as objects (API.md). NULL: no model was given. False:
	 * *ret_why says why not, valid until the next call. */
	bool (*model)(void *user, hb_text *ret_json, const char **ret_why);
	bool (*key)(void *user, const char *key, bool coalesced, hb_text *ret_json, const char **ret_why);
	/* Where the run differs from a reference, and the map of the array that difference `of` is about: all of it (part ""), or FIRST:COUNT for
	 * each dimension; as objects (API.md). NULL: no reference was given. False as above. */
	void (*differences)(void *user, hb_text *ret_json);
	bool (*map)(void *user, size_t of, const char *part, hb_text *ret_json, const char **ret_why);
} hb_view_source;

/* What can be done with a replay. Called in the thread of hb_view_turn. Those that do something return NULL, or why it
 * cannot be done (valid until the next call). */
typedef struct hb_view_control {
	void *user;
	hb_session *(*session)(void *user); /* NULL: there is none now */
	/* Starts the replay, or lets it go on, to a cut (arrays by line of the model, as from hb_cut); from its start when a process
	 * has passed it. Waits for nobody. */
	const char *(*run_to)(void *user, hb_at at, const uint32_t *event, const hb_stop *stop);
	const char *(*end)(void *user); /* ends the replay */
	/* Whether the job runs; seconds since it was started (< 0: never) and from there, or from
	 * when they were last sent on, until all had arrived (< 0: not yet). */
	bool (*running)(void *user, double *ret_seconds, double *ret_reached);
	/* What a process is inside of: "MPI_Recv from 3"; NULL: nothing, or not known. Valid until the next call. */
	const char *(*inside)(void *user, int32_t rank);
} hb_view_control;

typedef struct hb_view_options {
	const char *name, *command; /* as the page shows them */
	const char *mpi, *level;
	const char *
		folder; /* absolute: where the command ran; relative names of source files are looked for there. NULL: not known */
	const hb_source *sources; /* the logs, as for hb_model_build */
	size_t nsources;
	const int64_t *shift_ns;     /* by source, from tick 0 of its log to time 0 */
	const char *const *troubles; /* sentences for the page: what is missing */
	size_t ntroubles;
	bool silent;   /* listens to nobody: for hb_view_answer alone */
	uint16_t port; /* 0: any that is free */
	hb_view_source source;
	const hb_view_control *control; /* NULL: the recording cannot be replayed */
	const char *no_control;         /* why control is NULL: a sentence, or NULL */
} hb_view_options;

/* ---- the page of a complex ---- */

/* What has passed the guard. query: behind the question mark, NULL: nothing; body: NULL of a GET. */
typedef struct hb_view_asked {
	const char *name, *query, *body;
} hb_view_asked;
/* A parameter of a query, decoded and cut to size; false: it is not there, and *ret is empty. */
bool hb_view_parameter(const char *query, const char *name, char *ret, size_t size);

/* What the page shows the tool knows: it answers what stands in complex/API.md, in threads of the server, several at a time. Returns the
 * status: 200 with JSON in ret, else why not as a sentence. */
typedef struct hb_view_complex {
	void *user;
	int (*answer)(void *user, const hb_view_asked *asked, hb_text *ret);
} hb_view_complex;
/* Serves the page of a complex on loopback, behind the same guard; of the rest of this header hb_view_address, hb_view_port and
 * hb_view_close may be called then. No answer may wait for long once hb_view_close is called. Errors as of hb_view_open. */
hb_status hb_view_open_complex(const hb_view_complex *complex, uint16_t port, hb_view_server **ret, hb_error *err);

/* ---- serving ---- */

/* Listens on loopback, serves the overview, and begins to build. HB_E_SYSTEM with EADDRINUSE: the port is taken. All that options
 * point to must last until hb_view_close. *ret: hb_view_close. */
hb_status hb_view_open(const hb_view_options *options, hb_view_server **ret, hb_error *err);
/* Stops serving and building, and waits for both. Who waits for something in hb_view_turn is told that this ends. */
void hb_view_close(hb_view_server *server);
/* http://127.0.0.1:PORT/TOKEN/ */
const char *hb_view_address(const hb_view_server *server);
uint16_t hb_view_port(const hb_view_server *server);
/* The thread for the live run: what requests ask of it is done here, and what has become of it is published. Returns whether something was done. Call it when
 * hb_view_fd is readable, and after every hb_session_poll. */
bool hb_view_turn(hb_view_server *server);
int hb_view_fd(const hb_view_server *server);

/* Waits until model and layout are there. Errors: those of the building. */
hb_status hb_view_wait(hb_view_server *server, hb_error *err);
/* Whether they are there; else ret_err->status is set when the building has failed. hb_view_fd becomes readable when either has come. */
bool hb_view_ready(hb_view_server *server, hb_error *ret_err);
/* What a GET of an address ("run", "view?axis=logical&columns=800") answers, without a server's way: for pages in a file. Returns the
 * status, 200 when ret is what was asked for, else ret is {"error": TEXT}. */
int hb_view_answer(hb_view_server *server, const char *address, hb_text *ret);

#endif
