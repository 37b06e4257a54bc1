/* Where everything of a run stands in the picture: x is logical (Lamport) or physical time, y a line per process
 * (and lane). A viewport is answered with at most some thousand rings; what is too fine for it is merged into
 * densities, and how many events are hidden in them is told. Used by the server of `hbdb view` and by `hbdb graph`.
 *
 * Two stages. From the indexes of the logs alone: how many events each line has, when it began and ended, and a coarse
 * density over physical time (overview.h). With the model and its clocks: everything (this file). */
#ifndef HBDB_VIEW_LAYOUT_LAYOUT_H
#define HBDB_VIEW_LAYOUT_LAYOUT_H

#include "model/model.h"
#include "rules/race.h"

typedef struct hb_layout hb_layout;

typedef enum hb_axis { HB_AXIS_LOGICAL, HB_AXIS_PHYSICAL } hb_axis;

/* Logical x: Lamport time of the enter and of the exit. Physical x: nanoseconds, ticks of the log plus the shift of its
 * process. The calls of a line do not overlap on either axis: one that ran a callback which called MPI begins where the
 * last of those calls ended. Physical x is exact to 2^-32 of the time that 64 events take.
 *
 * Reads the logs once more and runs the clocks and the rule of races. The model and its logs must stay open; nobody else uses
 * them while this runs or while a question is asked (so: one thread at a time). shift_ns: by process of the model, NULL: 0.
 * Memory: 18 bytes an event, 13 a message, at least 8 a race, 32 a collective. *ret_layout: hb_layout_close. */
hb_status hb_layout_build(hb_model *model, const int64_t *shift_ns, hb_progress *progress, void *user,
	hb_layout **ret_layout, hb_error *err);
void hb_layout_close(hb_layout *layout);
void hb_layout_span(const hb_layout *layout, hb_axis axis, double *ret_from, double *ret_to);
/* x of an event's enter and exit (equal to the enter when it never returned). */
void hb_layout_x(hb_layout *layout, hb_axis axis, hb_at at, double *ret_enter, double *ret_exit);
/* How long an event took, in nanoseconds; what it waited of that is added to *waited. */
double hb_layout_took(const hb_layout *layout, hb_at at, double *waited);
/* The last event of a line that entered at or before x; 0: none. */
uint32_t hb_layout_event_at(hb_layout *layout, hb_axis axis, uint32_t line, double x);

/* How many spans of the program itself lie in each other on a line, at most. */
uint32_t hb_layout_depth(const hb_layout *layout, uint32_t line);
/* The name of an event's call: an index of hb_layout_functions. */
uint32_t hb_layout_function(const hb_layout *layout, hb_at at);

/* Which events are wanted; zeroed: all. Arrays are read while a question is asked and may be gone afterwards. An event has
 * the group and the tag of what it sends, posts, receives, sees or takes part in (a collective has no tag; the wait
 * for an eager send has neither); one of several is enough. A message is wanted when its channel has group and tag, and
 * the call at one of its ends is one of the functions. */
typedef struct hb_layout_filter {
	const bool *function; /* by index into hb_layout_functions; NULL all */
	const bool *group;    /* by group; NULL all */
	bool has_tag;
	int32_t tag;
	const bool *hidden_line; /* by line: as if it were not there; NULL none */
} hb_layout_filter;
/* The names of all functions called, of all processes, sorted; index into filter.function and hb_box.function. */
const char *const *hb_layout_functions(const hb_layout *layout, uint32_t *ret_n);

typedef enum hb_box_kind {
	HB_BOX_LOCAL,
	HB_BOX_SEND,
	HB_BOX_RECEIVE,
	HB_BOX_COMPLETE,
	HB_BOX_PROBE,
	HB_BOX_COLLECTIVE,
	HB_BOX_KINDS
} hb_box_kind;

enum { /* flags of boxes and arrows */
	HB_BOX_RACES =
		1, /* a receive, probe or choice that could have gone otherwise; of a nonblocking one the call that completed it */
	HB_BOX_INSIDE = 2, /* it never returned */
	HB_BOX_FAILED = 4, /* returned an error */
	HB_ARROW_SYNCHRONOUS = 8,
	HB_ARROW_UNMATCHED = 16,   /* a message nobody received: `to` is where it would go, event 0 */
	HB_ARROW_ALTERNATIVE = 32, /* not what happened: another message the receive could have got */
	HB_ARROW_AMBIGUOUS = 64,
	HB_ARROW_ORDER =
		128, /* no message: one-sided synchronisation, or a process that makes others (hb_edge); send is HB_NO */
};

typedef struct hb_box {
	hb_at at;
	double x0, x1; /* enter, exit */
	/* Of that, how long it waited for others, from x0 on and on the same axis: until the last enter of another that its exit
	 * needed (the send of what it received, the last process in a collective). Exact to 2^-16 of x1 - x0. */
	double waited;
	uint32_t function; /* index into hb_layout_functions */
	uint8_t kind, flags;
} hb_box;

typedef struct hb_arrow {
	hb_at from, to;
	double x0, x1; /* enter of the send (unmatched: twice), exit of the call that completed the receive */
	uint32_t send;
	uint32_t
		merged; /* messages of its line and window that this one stands for, one of the longest of them; 1 usually */
	uint8_t flags;
} hb_arrow;

/* What went to somebody who is not recorded, or came from there: it ends or begins at the edge of the picture. */
typedef struct hb_stub {
	hb_at at;
	double x;          /* enter of the call that sent, exit of the one that received */
	uint32_t crossing; /* hb_model_crossings */
	bool in;
} hb_stub;

/* A collective: its parts in the window are part[first..first+n). `of`: processes that entered it. */
typedef struct hb_ring {
	uint32_t collective, first, n, of;
	uint32_t function;
} hb_ring;
/* The call that entered it. */
typedef struct hb_part {
	hb_at at;
	double x0, x1;
} hb_part;

/* A span of the program itself: from the enter of its begin to the exit of its end. */
typedef struct hb_span {
	uint32_t line, begin, end; /* events; end 0: it did not end, and lasts as long as its line */
	double x0, x1;
	uint32_t depth; /* how many it lies in */
	uint32_t function;
	uint32_t
		merged; /* it stands for so many that are narrower than a column, up to x1: the first of them; 1 usually */
} hb_span;

/* A line that has too many events in the window to be drawn one by one: for each of `columns` equal slices of the window
 * how many events entered there (those that entered before the window count in the first), and which share of the slice was
 * spent waiting (0 to 255). The counts add up to `events`. */
typedef struct hb_density {
	uint32_t line;
	uint64_t events;
	const uint32_t *count;
	const uint8_t *waiting;
	/* HB_BOX_KINDS for each slice: the share of it that calls of each kind took, without their waiting (0 to 255; at least 1 when one
	 * entered there). In logical time a call lasts until the next one enters. NULL before there is a model. */
	const uint8_t *mix;
	const uint32_t
		*races; /* how many of the counted events could have gone otherwise; NULL before there is a model */
} hb_density;

/* What touches from..to (both included) is in the window: events of the lines to draw, messages with an end on one of them
 * (also those that only cross the window), collectives with a part in the window on one of them. */
typedef struct hb_window {
	hb_axis axis;
	double from, to;
	uint32_t columns;     /* pixels across */
	const uint32_t *line; /* the lines to draw, each once; NULL: all */
	uint32_t nlines;
	uint32_t most; /* shapes of each kind; 0: 6000 */
	const hb_layout_filter *filter;
} hb_window;

/* Boxes and densities stand in the order of the lines asked for, boxes of a line in program order. When some lines are drawn
 * as densities there are at most half as many boxes and a quarter as many arrows. Messages of a line are counted off in
 * groups of 2, 4, 8, ...: of each group in the window the longest is drawn, and tells how many it stands for (of lines with hardly
 * any messages, none may be). Of too many collectives every 2nd, 4th, ... is drawn. Alternatives come on top of the arrows
 * of messages, at most `most`, for races that are drawn as boxes. So do stubs, for calls that are drawn as boxes. */
typedef struct hb_picture {
	uint32_t columns; /* of densities: those asked for, or fewer when there are many lines */
	hb_box *boxes;
	size_t nboxes;
	hb_arrow *arrows;
	size_t narrows;
	hb_ring *rings;
	size_t nrings;
	hb_part *parts;
	size_t nparts;
	hb_density *densities;
	size_t ndensities;
	hb_span *spans; /* by line, by depth, as they began */
	size_t nspans;
	hb_stub *stubs; /* in the order of the boxes */
	size_t nstubs;
	uint64_t events, hidden; /* in the window: all, and those not drawn one by one */
	uint64_t messages, hidden_messages;
	uint64_t collectives, hidden_collectives;
	void *store;
} hb_picture;

/* HB_E_ARGUMENT: from or to is not a number, from is not before to, there are no columns, a line is not there. */
hb_status hb_layout_query(hb_layout *layout, const hb_window *window, hb_picture *ret, hb_error *err);
void hb_picture_free(hb_picture *picture);

#endif
