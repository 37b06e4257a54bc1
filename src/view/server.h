/* The server from inside: what its parts share. */
#ifndef HBDB_VIEW_SERVER_H
#define HBDB_VIEW_SERVER_H

#include <pthread.h>

#include "view.h"
#include "view/layout/overview.h"
#include "view/totals/totals.h"

/* Whoever asks first is served first: a thread that works in pieces lets others in between them. */
struct hb_view_lock {
	pthread_mutex_t mutex;
	pthread_cond_t turn;
	uint64_t next, serving;
};
void hb__view_lock(struct hb_view_lock *lock);
void hb__view_unlock(struct hb_view_lock *lock);

struct hb_view_races;   /* answer/races.h */
struct hb_view_live;    /* control/live.h */
struct hb_view_sources; /* answer/sources.h */

struct hb_request;

struct hb_view_server {
	hb_view_options o;
	hb_view_complex complex; /* of the page of a complex alone; the rest but what serves is not there then */
	void (*answer)(struct hb_request *request); /* sets status and out */
	struct mg_context *http;                    /* NULL: no requests, only hb_view_answer */
	char token[33], address[80];
	uint16_t port;

	hb_overview *overview;

	/* ---- the thread that builds ---- */
	pthread_t builder;
	bool building; /* it was started */
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	/* guarded by mutex */
	bool ready, ending;
	double progress;
	hb_status failed; /* of the building, with err */
	hb_error err;

	/* ---- guarded by lock once ready ---- */
	struct hb_view_lock lock;
	hb_model *model;
	hb_layout *layout;
	hb_totals *totals;
	struct hb_view_races *races;
	struct hb_view_sources *files;

	struct hb_view_live *live;
};

/* ---- a request that has passed the guard ---- */

struct hb_request {
	hb_view_server *server;
	bool post;
	const char *name, *query; /* "view", "axis=logical&columns=800"; query may be NULL */
	const char *body;         /* of a POST; may be NULL */
	int status;               /* 200 unless an answer sets it */
	const char *type;
	hb_text out;
};

/* The answer that belongs to a name: of a run, of a complex. */
void hb__view_answer(struct hb_request *request);
void hb__complex_answer(struct hb_request *request);
/* A file of page/, or, with 404, that there is none. */
void hb__view_file(struct hb_request *request, const char *name);
/* Drops what was written and answers {"error": ...}. */
void hb__view_refuse(struct hb_request *request, int status, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Whether all is built; else the request has been refused. */
bool hb__view_ready(struct hb_request *request);
/* A parameter of the query, decoded and cut to size; false: it is not there. */
bool hb__view_parameter(const struct hb_request *request, const char *name, char *ret, size_t size);
/* A whole number in a range; otherwise when it is not there. False: it is no such number, and the request has been refused. */
bool hb__view_whole(
	struct hb_request *request, const char *name, int64_t otherwise, int64_t least, int64_t most, int64_t *ret);
bool hb__view_real(struct hb_request *request, const char *name, double otherwise, double *ret);
bool hb__view_axis(struct hb_request *request, hb_axis *ret);
/* The event that a parameter names; refuses when there is none. The lock must be held. */
bool hb__view_event(struct hb_request *request, const char *name, hb_at *ret);

#endif
