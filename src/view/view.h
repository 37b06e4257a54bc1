/* The event graph in the browser: a web server on loopback, and the page (page/). What it answers is in API.md.
 * Nothing here prints or exits. What only the tool knows (how events are printed, source places, how a run is
 * started) it gives as functions. */
#ifndef HBDB_VIEW_VIEW_H
#define HBDB_VIEW_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include <hbdb/format.h>

#include "model/model.h"
#include "rules/race.h"
#include "session/session.h"
#include "view/layout/layout.h"

typedef struct hb_view_server hb_view_server;

/* A growing text; functions of the tool append to it. Zeroed memory is an empty one; free(at). */
typedef struct hb_text {
	char *at;
	size_t n, room;
} hb_text;
void hb_text_add(hb_text *text, const char *bytes, size_t n);
void hb_text_format(hb_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void hb_text_json(hb_text *text, const char *string); /* with quotes; bytes that are no UTF-8 become U+FFFD */

/* What the tool gives. Each is called by one thread at a time. A false answer means: not to be had. */
typedef struct hb_view_source {
	void *user;
	/* The object that `hbdb dump --json` prints for the event, and its line of text. */
	bool (*event_json)(void *user, hb_at at, hb_text *ret);
	bool (*event_text)(void *user, hb_at at, hb_text *ret);
	/* File and line of its call; the file as the compiler wrote it, to be found by the server beside the program. */
	bool (*event_place)(void *user, hb_at at, const char **ret_file, int *ret_line);
	/* RANK:EVENT and back. */
	bool (*event_name)(void *user, hb_at at, char ret_name[48]);
	bool (*read_event)(void *user, const char *name, hb_at *ret);
} hb_view_source;

/* What can be done with a replay; NULL members: not possible. All return at once; what comes of it the session shows. They return
 * NULL, or why not (static, or owned by the other side until the next call). */
typedef struct hb_view_control {
	void *user;
	hb_session *session;                         /* may change when a replay starts anew: read it each time */
	const char *(*run_to)(void *user, hb_at at); /* to the cut of an event; from the start when it lies behind */
	const char *(*end)(void *user);              /* ends the replay */
	double (*started)(void *user, bool *ret_running,
		double *ret_reached); /* seconds since the replay began, and until all had arrived (< 0: not yet) */
} hb_view_control;

#endif
