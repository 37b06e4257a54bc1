/* One event as a line of text or of JSON. docs/CONTRACTS.md, "A line of hbdb dump". */
#ifndef HBDB_SHOW_LINE_H
#define HBDB_SHOW_LINE_H

#include "model/event.h"
#include "out.h"

typedef struct hb_view {
	const hb_log *log;
	const hb_log_info *info;
	const char *name; /* of the process */
	uint32_t world;   /* number of its world */
	bool outside;     /* it has no MPI: its name says more than rank and world */
	int64_t shift_ns; /* from tick 0 of this process to time 0 of the recording */
	bool plain, polls, colour;
	bool never; /* the call never returned */
	/* the place of a call site, remembered by its number */
	const struct hb_place **places;
	uint32_t nplaces;
} hb_view;

void hb__put_line(hb_output *out, hb_view *view, const hb_event *event);
void hb__put_object(hb_output *out, hb_view *view, const hb_event *event);

/* Shared. A value has a word (ANY, WORLD, MPI_INT), else it is written as a
 * number, for kinds that are no numbers with a prefix (type#3). */
const char *hb__word(const hb_log *log, uint8_t kind, int64_t value); /* NULL: none */
bool hb__is_number(uint8_t kind);
void hb__put_value(hb_output *out, const hb_log *log, uint8_t kind, int64_t value);
/* What the program called the communicator, datatype or window; NULL: nothing. */
const char *hb__given_name(const hb_log *log, uint8_t kind, int64_t value);
const char *hb__error_class_name(int64_t number); /* ERR_RANK; NULL for an unknown one */
const char *hb__class_name(uint8_t cls);
const struct hb_place *hb__view_place(hb_view *view, uint32_t site);
int64_t hb__view_ns(const hb_view *view, uint64_t ticks);

#endif
