/* The messages that stand in front of a process while its receives are gone through in the order of posting: of
 * each channel the next one that no receive posted before took. */
#ifndef HBDB_RULES_RACE_FRONT_H
#define HBDB_RULES_RACE_FRONT_H

#include <stdlib.h>
#include <string.h>

#include "rules/race.h"

/* A place is a channel of the process at hand, in the order of group, tag, source. */
struct hb__any { /* for receives of any tag: of each source the next message of all its channels */
	uint32_t group, n;
	uint32_t *source, *seen, *send; /* by source */
	uint32_t *first;                /* by source: where its places begin in `place` */
	uint32_t *place;
};

struct hb__front {
	hb_model *m;
	const uint32_t *known;
	/* of the whole model */
	const uint32_t *sends; /* by channel, as the model lists them */
	uint32_t *knew;        /* beside sends: their hb_send.seen */
	uint32_t *at;          /* by place: the next message, as a place in sends */
	uint32_t *end;         /* by place: behind the last one */
	uint32_t *order;       /* channels by dest, group, tag, source */
	uint32_t *begin;       /* by process: where its channels begin in `order` */
	uint32_t *seen;        /* by place in order: hb_send.seen of the next message, HB_NO: none */
	uint32_t *next;        /* by place: the next message */
	uint32_t *place;       /* by channel: its place in order */
	uint32_t *any_of;      /* by place: source in the `any` of its group, HB_NO */
	uint32_t *low,
		*high; /* by spec: its places in order; for any tag the number of the `any`, HB_NO: not looked up */
	/* of the process at hand */
	uint32_t process;
	uint32_t line; /* its line when it has only one, else HB_NO */
	struct hb__any *any;
	size_t nany;
	bool no_memory;
};

/* known: by send, in the place of hb_send.seen; NULL: that. */
bool hb__front_open(hb_model *m, const uint32_t *known, struct hb__front *ret);
void hb__front_close(struct hb__front *f);
void hb__front_process(struct hb__front *f, uint32_t process);
/* The receive's message is taken. */
void hb__front_take(struct hb__front *f, uint32_t receive);
/* The next messages that match a spec, one for each source: seen and source (process) of each. */
struct hb__row_of {
	uint32_t n;
	const uint32_t *seen;
	const uint32_t *send;   /* any tag; else NULL: next[first_place + i] */
	const uint32_t *source; /* any tag; else NULL: that of the channel */
	uint32_t first_place;
};
struct hb__row_of hb__front_row(struct hb__front *f, uint32_t spec);
uint32_t hb__row_send(const struct hb__front *f, const struct hb__row_of *row, uint32_t i);
uint32_t hb__row_source(const struct hb__front *f, const struct hb__row_of *row, uint32_t i);

/* How many of n numbers are at most `limit`. */
uint32_t hb__count_at_most(const uint32_t *at, uint32_t n, uint32_t limit);

#endif
