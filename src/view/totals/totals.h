/* What a run adds up to: calls and times by call site, which lines behave alike, messages between processes. */
#ifndef HBDB_VIEW_TOTALS_TOTALS_H
#define HBDB_VIEW_TOTALS_TOTALS_H

#include "view/layout/layout.h"

typedef struct hb_totals hb_totals;

/* Reads the logs once, as hb_layout_build does; model and layout must stay open. *ret: hb_totals_close. */
hb_status hb_totals_build(
	hb_model *model, hb_layout *layout, hb_progress *progress, void *user, hb_totals **ret, hb_error *err);
void hb_totals_close(hb_totals *totals);

/* The calls of one function at one call site, by one line. */
typedef struct hb_calls {
	uint32_t function; /* index of hb_layout_functions */
	uint32_t site;     /* number in the log of the process */
	uint64_t calls;
	double time, waited; /* nanoseconds; time is with the waiting */
} hb_calls;
const hb_calls *hb_totals_calls(const hb_totals *totals, uint32_t line, uint32_t *ret_n);

/* Lines that behave alike have the same number; the numbers count up from 0 in the order of the first lines of each.
 *
 * Alike are lines of the same lane that called the same functions at the same places, stand inside the same call at the end or in none,
 * whose logs are all whole or all cut, and that made neither more than four times as many calls as the line in the middle nor less than
 * a quarter. Lines that did so equally often are told from the others when that says something: when three
 * quarters of them belong to kinds of at least a fifth. (Halo exchange: inner, edge and corner; or all but one. Not: a farm whose workers
 * got as many tasks as chance gave them.) Who they spoke to and how long it took plays no part. */
const uint32_t *hb_totals_alike(const hb_totals *totals, uint32_t *ret_kinds);

/* The messages of each channel of the model, without those that were cancelled. */
typedef struct hb_traffic {
	uint64_t messages, bytes;
	uint64_t unreceived; /* of the messages */
} hb_traffic;
const hb_traffic *hb_totals_traffic(const hb_totals *totals);

#endif
