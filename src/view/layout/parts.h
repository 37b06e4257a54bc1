/* What the files of this folder share. Events of a line are kept in arrays by number; both axes grow along a line, so
 * that what stands in a window is found by searching. */
#ifndef HBDB_VIEW_LAYOUT_PARTS_H
#define HBDB_VIEW_LAYOUT_PARTS_H

#include "model/spans.h"
#include "view/layout/layout.h"

#define HB__AXES 2
#define HB__TILE 64 /* events, or messages, that have something in common; the bits of a word */

/* Every 64 events of a line. */
struct hb__tile {
	int64_t tick;    /* of the enter of the first */
	uint8_t shift;   /* offsets count 2^shift ticks */
	uint32_t flying; /* events marked so in the line before it */
	double waited;   /* nanoseconds of waiting in the line before it */
	/* Of the line before it, by kind: nanoseconds without waiting; logical time without waiting, which is 1 for each event, and
	 * 1 more for a marked one */
	double busy[HB_BOX_KINDS];
	uint32_t steps[HB_BOX_KINDS];
	uint32_t races; /* events marked so in the line before it */
};

enum { /* in hb__track.mark */
	HB__KIND = 7,
	HB__MARK_SHIFT = 3, /* flags of boxes stand this far up: 1, 2, 4 */
	HB__FLYING = 64,    /* the last unit of its logical length is the way of a message, no waiting */
};

/* Every 64 messages of a line. */
struct hb__reach {
	uint32_t low[HB__AXES], high[HB__AXES]; /* of `arrives` */
	uint8_t longest[HB__AXES];              /* which of them takes longest */
};

/* The messages that a line sends, in its order, without those that were cancelled. */
struct hb__line_sends {
	uint32_t n, first;
	uint32_t *id;                /* NULL: first, first + 1, ... */
	uint32_t *to;                /* HB__TO, HB__LEVEL */
	uint32_t *arrives[HB__AXES]; /* hb__grain of its other end */
	struct hb__reach *reach;
};
#define HB__NOWHERE 0xffffffu
#define HB__TO(word) ((word)&0xffffffu)
/* k: it is the longest of its line's 2^k, counted off from the first message. */
#define HB__LEVEL(word, axis) ((word) >> (24 + 4 * (axis)) & 15u)
#define HB__LEVELS 16

/* A span of the program itself. */
struct hb__span {
	uint32_t begin, end; /* events; end 0: it did not end */
	uint16_t function, depth;
};
#define HB__DEPTHS 32        /* deeper ones are not shown */
#define HB__SPANS_MOST 20000 /* in a picture */

/* Spans of a line while it is read. */
struct hb__span_reader {
	hb_span_stack open; /* event: index into all */
	struct hb__span *all;
	size_t n, room;
};

struct hb__track {
	uint32_t n;
	uint32_t first;                    /* logical enter of the first event */
	uint32_t *left;                    /* logical exits; an enter is one more than the exit before */
	uint32_t *enter, *exit;            /* physical, from the tick of the block */
	uint16_t *waited;                  /* physical, of its length, 65535 is all */
	uint8_t *function, *function_high; /* high: NULL with up to 256 names */
	uint8_t *mark;
	struct hb__tile *block;
	double tick_ns, shift;
	struct hb__line_sends sent;
	/* races by event: the event, then layout.alternatives sends (HB_NO: none) */
	uint32_t *race;
	size_t races, race_room;
	/* spans by depth: those of depth d are span[span_depth[d]..span_depth[d + 1]), as they began; NULL: none */
	struct hb__span *span;
	uint32_t *span_depth;
};

/* A collective of two processes or more: from the first enter to the last exit of these calls. */
struct hb__meeting {
	double from, to;
	uint32_t logical_from, logical_to;
};

/* What is left of a filter: a bit for each event and for each message, and how many are set before each word. */
struct hb__bits {
	uint64_t *word;
	uint32_t *before;
};
struct hb__sieve {
	bool used;
	bool *function, *group; /* copies of the filter's; NULL: all */
	bool has_tag;
	int32_t tag;
	struct hb__bits *event, *message; /* by line */
};

struct hb_layout {
	hb_model *model;
	const hb_model_info *info;
	struct hb__track *track; /* by line */
	const char **name;
	uint32_t names;
	double from[HB__AXES], to[HB__AXES];
	double grain; /* physical: of the numbers in arrives, per nanosecond */
	struct hb__meeting *meeting;
	uint32_t meetings;              /* those with two parts or more */
	uint32_t *meeting_by[HB__AXES]; /* in the order of their beginnings */
	double *meeting_end[HB__AXES];  /* the last end of each 64 in that order */
	uint32_t alternatives;          /* kept of each race */
	struct hb__sieve sieve;
};

/* ---- where events stand ---- */

static inline double hb__tick_x(const struct hb__track *t, int64_t tick)
{
	return t->shift + (double)tick * t->tick_ns;
}

static inline double hb__enter(const struct hb__track *t, hb_axis axis, uint32_t i)
{
	if (axis == HB_AXIS_LOGICAL)
		return i ? (double)t->left[i - 1] + 1 : (double)t->first;
	const struct hb__tile *b = &t->block[i / HB__TILE];
	return hb__tick_x(t, b->tick + ((int64_t)t->enter[i] << b->shift));
}

static inline double hb__exit(const struct hb__track *t, hb_axis axis, uint32_t i)
{
	if (axis == HB_AXIS_LOGICAL)
		return t->left[i];
	const struct hb__tile *b = &t->block[i / HB__TILE];
	return hb__tick_x(t, b->tick + ((int64_t)t->exit[i] << b->shift));
}

/* Index into the names. */
static inline uint32_t hb__function_of(const struct hb__track *t, uint32_t i)
{
	return t->function[i] | (t->function_high ? (uint32_t)t->function_high[i] << 8 : 0);
}

static inline double hb__waited(const struct hb__track *t, hb_axis axis, uint32_t i)
{
	double length = hb__exit(t, axis, i) - hb__enter(t, axis, i);
	if (axis == HB_AXIS_LOGICAL)
		return length - (t->mark[i] & HB__FLYING ? 1 : 0);
	return length * t->waited[i] / 65535;
}

/* Whether it could have gone otherwise. */
static inline uint32_t hb__races(const struct hb__track *t, uint32_t i)
{
	return (t->mark[i] >> HB__MARK_SHIFT & HB_BOX_RACES) != 0;
}

/* Asks for what is needed of an event soon. */
static inline void hb__fetch(const struct hb__track *t, uint32_t i)
{
	__builtin_prefetch(&t->left[i]);
	__builtin_prefetch(&t->enter[i]);
	__builtin_prefetch(&t->exit[i]);
	__builtin_prefetch(&t->block[i / HB__TILE]);
}

/* The first event of a line for which this does not hold, from `hint` on. */
enum hb__edge {
	HB__ENTERS_BEFORE, /* enter < x */
	HB__ENTERS_UNTIL,  /* enter <= x */
	HB__LEAVES_BEFORE, /* exit < x */
};
uint32_t hb__search(const struct hb__track *t, hb_axis axis, uint32_t hint, double x, enum hb__edge edge);

struct hb__query;

/* ---- memory ---- */
hb_status hb__layout_fail(hb_error *err, hb_status status, const char *message);

/* ---- build.c: names, rows ---- */
/* ---- waits.c: kinds, waiting; the spans of collectives ---- */
bool hb__waits_build(hb_layout *layout);
/* The sums in the blocks; when waiting and races are known. */
void hb__sums_build(hb_layout *layout);
/* ---- races.c ---- */
hb_status hb__races_build(hb_layout *layout, hb_progress *progress, void *user, hb_error *err);
/* Sends that the event could have received, too; up to layout.alternatives, HB_NO at the end. NULL: none are known. */
const uint32_t *hb__race_of(const hb_layout *layout, hb_at at);

/* ---- shapes/spans.c ---- */
/* what: 1 a begin, -1 an end. False: out of memory. */
bool hb__span_take(struct hb__span_reader *reader, int what, uint32_t function, uint32_t event);
bool hb__span_end(struct hb__span_reader *reader, struct hb__track *track);
bool hb__query_spans(struct hb__query *q);

/* ---- shapes/edges.c ---- */
/* After all other arrows. */
bool hb__query_edges(struct hb__query *q);

/* ---- shapes/messages.c ---- */
bool hb__messages_build(hb_layout *layout);
static inline uint32_t hb__sent_id(const struct hb__line_sends *s, uint32_t k)
{
	return s->id ? s->id[k] : s->first + k;
}

/* ---- shapes/rings.c ---- */
bool hb__rings_build(hb_layout *layout);

/* ---- sieve.c ---- */
/* NULL: the filter lets everything pass. Without memory *ret_failed. */
const struct hb__sieve *hb__sieve_of(hb_layout *layout, const hb_layout_filter *filter, bool *ret_failed);
void hb__sieve_free(hb_layout *layout);
static inline bool hb__bit(const struct hb__bits *b, uint32_t i) { return b->word[i / 64] >> i % 64 & 1; }
/* Bits that are set before i. */
static inline uint32_t hb__bits_before(const struct hb__bits *b, uint32_t i)
{
	uint64_t word = i % 64 ? b->word[i / 64] & (UINT64_MAX >> (64 - i % 64)) : 0;
	return b->before[i / 64] + (uint32_t)__builtin_popcountll(word);
}

/* ---- a question ---- */
struct hb__query {
	hb_layout *layout;
	hb_axis axis;
	double from, to;
	uint32_t columns, most;
	uint32_t nlines, *line; /* to draw, in order */
	bool *wanted, *hidden;  /* by line */
	bool any_hidden, all;   /* all: every line is wanted */
	const struct hb__sieve *sieve;
	const hb_layout_filter *filter;
	hb_picture *picture;
};
bool hb__query_arrows(struct hb__query *q, uint32_t most);
bool hb__query_alternatives(struct hb__query *q);
bool hb__query_rings(struct hb__query *q);
bool hb__query_stubs(struct hb__query *q);
/* What hb_layout_query and hb_overview_query have in common: says what is wrong with a window. */
const char *hb__window_wrong(const hb_window *window, uint32_t lines);
uint32_t hb__columns_for(uint32_t columns, uint32_t lines);
/* The left edge of a column; of `columns`, the right edge of the last. */
static inline double hb__edge_of(double from, double to, uint32_t columns, uint32_t i)
{
	return i >= columns ? to : from + (to - from) * i / columns;
}

#endif
