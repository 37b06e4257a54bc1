/* The answers to requests, by their names in API.md. */
#ifndef HBDB_VIEW_ANSWER_ANSWER_H
#define HBDB_VIEW_ANSWER_ANSWER_H

#include "view/server.h"

typedef void hb_view_answerer(struct hb_request *request);

/* These are called with the lock held, once all is built. */
hb_view_answerer hb__answer_event, hb__answer_cone, hb__answer_races, hb__answer_source, hb__answer_model,
	hb__answer_key, hb__answer_compare, hb__answer_map;
hb_view_answerer hb__answer_profile, hb__answer_matrix; /* in totals/ */
/* These lock by themselves. */
hb_view_answerer hb__answer_page, hb__answer_run, hb__answer_view, hb__answer_search;
hb_view_answerer hb__answer_state, hb__answer_live;

/* ---- parts of answers ---- */

/* As it is told: nanoseconds are whole. */
double hb__shown_x(hb_axis axis, double x);
/* "0:17" with its quotes; null for event 0. */
void hb__put_at(struct hb_request *request, hb_at at);
/* ,"logical":[enter,exit],"physical":[enter,exit] without the comma. */
void hb__put_x(struct hb_request *request, hb_at at);
/* The text of an event as a JSON string. */
void hb__put_event_text(struct hb_request *request, hb_at at);
/* The message that an operation is about; HB_NO: none, or not known (search/query.c). */
uint32_t hb__message_of(const hb_model *model, const hb_op *op);

#endif
