/* Memory of pending operations. */
#ifndef HBDB_CAPTURE_CHECK_BUFFERS_BUFFERS_H
#define HBDB_CAPTURE_CHECK_BUFFERS_BUFFERS_H

#include "capture/mpi/check/handles/handles.h"

#pragma GCC visibility push(hidden)

/* ---- regions.c: the memory that a call reads and writes ---- */
struct hb__piece {
	uintptr_t low, high; /* high: behind it */
};
#define HB__PIECES 512
struct hb__region {
	const char *arg;
	bool writes;
	bool known; /* false: too many pieces, or a datatype that nobody knows */
	uint32_t n;
	struct hb__piece *piece;
};
#define HB__REGIONS 2 /* of a call: what it sends and what it receives */
/* Fills at most HB__REGIONS; pieces last until the thread asks again. RMA is not answered here. */
unsigned hb__regions(struct hb__call *c, struct hb__region *ret);

/* ---- block.c: is it there, and long enough ---- */
/* What the arguments of a call name, and that it is: told where it is wrong. True: it was told. */
bool hb__memory_of_region(struct hb__call *c, const struct hb__region *r);
/* The same of a region that is one piece, and in which block that lies; where it was told nothing holds. */
bool hb__memory_of_piece(struct hb__call *c, const struct hb__region *r, struct hb__block *ret);

/* ---- digest.c ---- */
/* Memory that is there as long as the process: its static data, and above this call the stack of the first thread. */
bool hb__memory_stays(uintptr_t low, uintptr_t high);
/* Of all pieces, of large ones in part. turn: 0, or which few places of large ones are looked at. lives: all of it lies in a block
 * that is not freed. False: a part of it is not mapped. */
bool hb__region_digest(const struct hb__region *r, uint32_t turn, bool lives, uint64_t *ret_digest);
/* Of all bytes that no register watches now: reading those would set it off. */
bool hb__region_unwatched(const struct hb__region *r, uint64_t *ret_digest);

/* ---- index.c: pieces of pending operations by address; under the lock of track/ ---- */
struct hb__pending;
bool hb__index_add(struct hb__pending *p, const struct hb__region *r);
void hb__index_remove(const struct hb__pending *p);
/* A pending operation that the region conflicts with: both touch the same bytes, and one of them writes. NULL: none. */
struct hb__pending *hb__index_conflict(const struct hb__region *r, uintptr_t *ret_low, uintptr_t *ret_high);

/* ---- pending.c: the buffers of a request, from the call that makes it active to its completion ---- */
struct hb__pending {
	struct hb__watch *watch;
	struct hb__pending *next; /* unused ones */
	uint32_t regions;
	bool active;
	bool digested; /* the first region is sent from, and its digest is known */
	uint64_t digest;
	uint32_t turn; /* of the digest */
	bool held;     /* what it is received into held this when the last call returned */
	uint64_t holds;
	uint32_t looks;                      /* how often that was asked */
	struct hb__block block[HB__REGIONS]; /* in which they begin */
	struct hb__piece one[HB__REGIONS];   /* room for the piece of a region that has one */
	struct hb__region region[HB__REGIONS];
};
void hb__pending_begin(struct hb__call *c, struct hb__watch *w);
void hb__pending_end(struct hb__call *c, struct hb__watch *w, const MPI_Status *st, int error);
/* Nothing is known of its buffers any more; forget: nor will be. */
void hb__pending_drop(struct hb__watch *w, bool forget);

/* ---- between.c: receive buffers that change between two calls ---- */
void hb__between_begin(const struct hb__call *c, struct hb__pending *p);
void hb__between_end(struct hb__pending *p);

/* ---- partitions.c: requests of MPI_Psend_init and MPI_Precv_init ---- */
void hb__partitions_made(const struct hb__call *c, struct hb__watch *w);
void hb__partitions_started(const struct hb__call *c, struct hb__watch *w);
/* Completed, or freed (not good). */
void hb__partitions_ended(struct hb__call *c, struct hb__watch *w, bool good);
void hb__partitions_drop(struct hb__watch *w); /* and forgotten */
/* Around MPI_Pready and its kin, and MPI_Parrived; other calls pass. */
void hb__partitions_enter(struct hb__call *c);
void hb__partitions_leave(struct hb__call *c, int code);

/* Whom memory belongs to that is watched for a request. */
static inline struct hb_remark_touch hb__request_owner(const struct hb__watch *w, bool writes)
{
	return (struct hb_remark_touch){.what = HB_WHAT_REQUEST,
		.req = {true, w->lane, (int64_t)w->posting},
		.made = w->site,
		.writes = writes,
		.win = -1,
		.target = -1};
}

#pragma GCC visibility pop

#endif
