/* One-sided communication of a run, gathered from the recorder's remarks (src/capture/mpi/check/windows/). */
#ifndef HBDB_RULES_ONESIDED_ONESIDED_H
#define HBDB_RULES_ONESIDED_ONESIDED_H

#include "rules/finding.h"

/* A window as one process made it. */
struct hb__window_part {
	uint32_t id; /* the collective that made it: the same for all its processes; HB_NO: not known */
	uint32_t group;
	int64_t base, size, unit, rank;
	uint32_t fences; /* while they are compared */
	bool known, dynamic;
	hb_at began;                        /* while gathering: the last start or fence; line HB_NO: none */
	bool locked, exclusive, all_locked; /* while gathering: by itself, its own memory */
};

enum hb__touching { HB__READS, HB__WRITES, HB__ACCUMULATES };

struct hb__span {
	int64_t from, to; /* addresses of the target process; to: behind the last */
};

struct hb__window_access {
	size_t remark, told; /* its own; the one that describes it: of an earlier one that was like it, or its own */
	uint32_t process, line, start; /* it began before event `start` of the line */
	uint32_t done_line, done;      /* the event that completed it; 0: none did */
	bool done_exit;                /* complete when that event is over, not already when it begins */
	bool local;                    /* the target's own, by a call or by the program itself */
	bool deduced;                  /* local, a store: it is known by what changed only */
	bool exclusive, locked;        /* under a lock; under an exclusive one */
	bool passive;                  /* the target takes no part: locks */
	bool pscw, fenced;             /* the epoch that it is in */
	bool fetches;                  /* tells the origin what was there */
	bool inexact;
	enum hb__touching touching;
	int32_t operation, type; /* of an accumulate: numbers of the recording; -1 */
	bool swap;               /* compare and swap */
	bool get;                /* complete as soon as it is so at the origin */
	uint64_t seq;
	uint32_t window;        /* id */
	uint32_t target;        /* process */
	int64_t number;         /* of the window at the origin */
	uint32_t bytes, nbytes; /* in the pool */
	hb_at post;             /* the call that exposed the target for it; line HB_NO */
	uint64_t time;          /* Lamport, of the event before */
};

struct hb__onesided {
	hb_case *c;
	struct hb__window_part **part; /* by process, by number of the window */
	uint32_t *nparts;
	struct hb__window_access *access;
	size_t naccesses, room;
	struct hb__span *pool;
	size_t npool, pool_room;
	hb_error *err;
	bool no_memory;
};

#define HB__NAMED 160
/* " \"NAME\"", what the program called the window that has this number in the process, else "". Returns ret. */
const char *hb__window_named(const hb_case *c, uint32_t process, int64_t number, char ret[HB__NAMED]);
struct hb__window_part *hb__part_of(struct hb__onesided *o, uint32_t process, int64_t number);
/* Reads all remarks. */
hb_status hb__onesided_gather(struct hb__onesided *o);

/* fences.c */
hb_status hb__onesided_fences(struct hb__onesided *o);

/* conflicts.c */
hb_status hb__onesided_conflicts(struct hb__onesided *o);

hb_status hb__onesided_no_memory(hb_error *err);

#endif
