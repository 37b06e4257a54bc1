/* The PAST of a point, as cone.c finds it and proof.c reads it. */
#ifndef HBDB_MODEL_CLOCK_PAST_H
#define HBDB_MODEL_CLOCK_PAST_H

#include "model/clock/clock.h"

/* An enter was found to be in the PAST, because the exit of `by` needs it. */
struct hb__raise {
	uint32_t event, call; /* call: the event that began; event: the one that stands for it (hb_entered) */
	hb_at by;
	hb_link_kind kind;
	uint32_t id;
};

struct hb__past_line {
	uint32_t entered;             /* events entered in the PAST */
	uint32_t exited;              /* ... and at least so many have returned */
	uint32_t scanned;             /* exits whose needs are known */
	uint32_t ordered;             /* operations of which it is known who has to post before (with `starts`) */
	uint32_t left;                /* of MPI_Init, when its exit is in the PAST */
	VEC(struct hb__raise) raises; /* event grows */
	uint32_t next;
	bool queued, begun;
};

struct hb__past {
	hb_model *m;
	struct hb__past_line *lines;
	uint32_t queue;
	struct hb__needs *needs; /* of a divided model; NULL */
	bool forgets;            /* ... whose first member alone keeps the raises */
	bool starts; /* what started the other threads is in it, and what they have to post first in a replay */
	bool no_memory;
};

/* The PAST of the exit, or of the enter, of an event. Free it in any case. */
hb_status hb__past_of(hb_model *m, hb_at at, bool exit, struct hb__past *ret, hb_error *err);
void hb__past_free(struct hb__past *p);

#endif
