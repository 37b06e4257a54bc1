/* Events: what the rows of a log mean. docs/man/hbdb-recording.5, "RESULTS".
 *
 * A row says which function was called with which arguments and lists numbers
 * as results; an event says what they are: which message, which posting, which
 * choice. Nothing here prints.
 *
 * Ownership: an event and all it points to belong to its hb_events and hold
 * until the next call on it. Thread safety: one thread per hb_events. */
#ifndef HBDB_MODEL_EVENT_H
#define HBDB_MODEL_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include <hbdb/format.h>

#include "calls/meaning.h"

/* A number that an event does not have. */
#define HB_ABSENT INT64_MIN

/* A request or matched message, named by the call that made it. */
typedef struct hb_reference {
	uint32_t lane;
	int64_t posting; /* -1: none */
} hb_reference;

/* What became of one request. */
typedef struct hb_answer {
	int64_t index; /* in the array of requests, HB_ABSENT when it is not told */
	uint8_t code;  /* HB_ST_* of format/row.h */
	hb_reference request;
	int64_t error;              /* error class, 0 for success */
	int64_t source, tag, bytes; /* HB_ABSENT when as posted; bytes -1: not recorded */
	int64_t digest;             /* of the contents of a collective that is over; HB_ABSENT: it has none */
} hb_answer;

typedef struct hb_event {
	const hb_row *row;
	const hb_function *function; /* NULL: the log does not define it */
	const hb_meaning *means;     /* never NULL */
	hb_shape shape;
	int64_t peer;           /* destination, source or root as asked for */
	int64_t tag;            /* as asked for */
	int64_t from, from_tag; /* of the receive half: source and tag as asked for */
	int64_t comm;
	int64_t bytes;              /* of the message received, else count times size of the datatype */
	int64_t source, source_tag; /* of the message received, when it was told */
	uint32_t posts;             /* how many requests or messages this call made ... */
	int64_t posting;            /* ... and the number of the first */
	bool choice;                /* MPI could have answered otherwise */
	bool undefined;             /* Waitany, Waitsome: no request was active */
	int64_t made;               /* HB_SHAPE_COMM: the new communicator, -1: none */
	int64_t window;             /* HB_SHAPE_WINDOW: the number of the new window */
	double clock;               /* HB_SHAPE_CLOCK: seconds */
	uint32_t nanswers;
	const hb_answer *answers; /* STARTED, MATCHED and REQUEST: only .request is set */
	uint32_t used;            /* results understood; row->nresults, unless the log says more than this knows */
	bool malformed;           /* the results contradict the format */
} hb_event;

/* What became of the request: its code, but HB_ST_AS_POSTED where a message, or the check of contents, is told as well. */
uint8_t hb_answer_fate(const hb_answer *answer);

/* The events of one lane, from the first. */
typedef struct hb_events hb_events;
hb_status hb_events_open(hb_log *log, uint32_t lane, hb_events **ret_events, hb_error *err);
/* From event `from` on. What rests on earlier events is not known then: numbers of postings and references,
 * whether a completion was a choice, the clock. */
hb_status hb_events_open_at(hb_log *log, uint32_t lane, uint64_t from, hb_events **ret_events, hb_error *err);
/* What events rest on that came before them, at places along a lane. Made by reading it once (without its times); small. */
typedef struct hb_waymarks hb_waymarks;
hb_status hb_waymarks_make(hb_log *log, uint32_t lane, hb_waymarks **ret_marks, hb_error *err);
void hb_waymarks_free(hb_waymarks *marks);
/* From event `from` on as if read from the start; work bounded by the size of a block. The marks must last as long. */
hb_status hb_events_open_marked(
	hb_log *log, uint32_t lane, const hb_waymarks *marks, uint64_t from, hb_events **ret_events, hb_error *err);
/* 1 and *ret_event, 0 at the end or the cut, or a negative status. */
int hb_events_next(hb_events *events, hb_event *ret_event, hb_error *err);
/* enter, exit and digest of rows will not be looked at: they may be anything from now on, and events come faster. */
void hb_events_skip_times(hb_events *events);
/* The call the thread never returned from, once hb_events_next gave 0: 1, or 0 when there is none. */
int hb_events_inside(hb_events *events, hb_event *ret_event);
/* Likewise the call that answered no, again and again, after the last event; known only with remarks. */
int hb_events_polling(hb_events *events, hb_event *ret_event);
void hb_events_close(hb_events *events);

/* The value of a recorded argument by its name, HB_ABSENT when it is not recorded. */
int64_t hb_event_argument(const hb_event *event, const char *name);

/* What an event was given, by name: recorded arguments, and values of an event of the program. kind: HB_RECORDED_* of calls.h. */
typedef struct hb_field {
	const char *name;
	uint8_t kind;
	int64_t value;
	uint32_t
		again; /* of values that repeat: how far behind it the next one of this name stands; 0: it is the only one */
	bool first; /* of these */
} hb_field;
uint32_t hb_event_fields(const hb_event *event);
hb_field hb_event_field(const hb_event *event, uint32_t index); /* below hb_event_fields */

/* The same of a value of an event of the program (HB_SHAPE_VALUES); function->value_type says what its bits are. */
int64_t hb_event_value(const hb_event *event, const char *name);

/* Nanoseconds from tick 0 of the process. */
static inline double hb_ticks_ns(const hb_log_info *info, uint64_t ticks) { return (double)ticks * info->tick_ns; }

/* Whether the process of a log called a function that does this (enum hb_does), as far as the log counts calls. */
bool hb_log_calls(const hb_log *log, uint8_t does);

#endif
