/* What the files of this folder share. All of it is touched under the lock of ring.c. */
#ifndef HBDB_CAPTURE_RING_H
#define HBDB_CAPTURE_RING_H

#include "capture/core/record/record.h"
#include "format/ring.h"

#pragma GCC visibility push(hidden)

/* A slot as the last record about it left it. */
struct hb__past_slot {
	uint32_t function, site, flags;
	uint8_t nargs;
	bool defined;
	int64_t arg[HB_MAX_RECORDED];
};

/* What is known of a lane at the end of the units that were folded. */
struct hb__past {
	uint16_t lane;
	uint32_t first;                       /* number of the first unit that was not */
	uint64_t events, posted, clock, tick; /* tick: at which the last event was left */
	int64_t last_ref;
	int64_t *told; /* results of an event whose record did not come yet */
	size_t ntold, told_room;
	uint32_t slots; /* up to the highest number */
	struct hb__past_slot slot[HB__SLOTS];
};

/* ---- fold.c ---- */
void hb__fold_unit(struct hb__past *past, const struct hb_unit_header *unit);

/* ---- means.c ---- */
struct hb__past_event {
	struct hb__past *past;
	const struct hb__fn *fn;
	const struct hb__past_slot *slot;
	int64_t error;
	const int64_t *result;
	size_t nresults, used;
};
void hb__fold_event(struct hb__past_event *event);

/* ---- count.c ---- */
struct hb__counter {
	uint8_t kind;  /* HB_BEFORE_... */
	uint16_t lane; /* HB_LANE_DEFINITIONS: of several */
	int64_t comm, peer, tag;
	uint64_t count;
};
/* A request under way, or one that may be started. */
struct hb__under_way {
	uint8_t kind;   /* HB_UNDER_WAY_...; 0: told already, and not freed yet */
	bool overtaken; /* a receive posted later, that may be of the same channel, is over */
	uint16_t lane;
	uint32_t function, nargs;
	uint64_t posting, number;
	int64_t arg[HB_MAX_RECORDED];
	int64_t comm, source, tag; /* of a receive, as asked for */
	uint32_t next, earlier,
		later; /* 1 + index: in its bucket, or of the free ones; receives in the order of posting */
};
/* Counts one and returns how many there were before it. */
uint64_t hb__counted(uint8_t kind, uint16_t lane, int64_t comm, int64_t peer, int64_t tag);
void hb__count_lost(void);      /* something cannot be counted: what is not listed from here on is not known */
void hb__count_broken(void);    /* what was counted does not hold */
unsigned hb__count_flags(void); /* HB_BEFORE_PART, HB_BEFORE_BROKEN */
uint32_t hb__counters(const struct hb__counter **ret);
struct hb__under_way *hb__under_way_new(const struct hb__past_event *e, uint64_t posting, uint8_t kind);
struct hb__under_way *hb__under_way(uint16_t lane, uint64_t posting);
/* A receive on this channel is over: posted as `it` was, NULL: just now. */
void hb__overtakes(const struct hb__under_way *it, int64_t comm, int64_t source, int64_t tag);
void hb__under_way_told(struct hb__under_way *it);
void hb__under_way_over(struct hb__under_way *it);
/* The next one from *index on, which moves past it; receives first, in the order of posting. NULL: no more. */
const struct hb__under_way *hb__under_way_next(uint64_t *index);
void hb__counts_forked(void);

/* ---- account.c ---- */
/* Writes the account into units taken by `unit` (NULL: none is to be had); returns how many, 0: it could not. */
uint32_t hb__account_write(struct hb__past *const *past, uint32_t lanes, uint32_t generation,
	struct hb_unit_header *(*unit)(uint32_t index));

/* ---- ring.c ---- */
const struct hb__fn *hb__ring_function_of(uint32_t number); /* NULL: not told yet */

#pragma GCC visibility pop

#endif
