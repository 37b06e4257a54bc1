/* Windows as this process sees them: memory, epochs, accesses that are pending.
 *
 * Remarks (format/remark/remark.h), for the rules of src/rules/onesided/:
 *   window    after a window was made: make= win= base= size= unit= rank= n=   (base: the address, a number)
 *   rma       before an access: seq= win= op=put|get|acc|gacc|fao|cas target= disp= runs= [inexact=1] aop= type= ep= [x=1] [vs=]
 *             runs: bytes at the target from disp * unit on, OFFSET:LENGTH[:COUNT:STRIDE],...; type: the basic type, -1 mixed;
 *             ep: fence|pscw|lock|all|none; x=1: under an exclusive lock
 *   rma+      the next access, like one before: k= d= [t=]   (a loop over a window has a hundred thousand of them)
 *   winsync   a synchronisation: kind= win= rank= [ranks=0,1,2]
 *   rmadone   a request-based access completed: seq=
 *   epoch     an error seen here: error=none|twice|mixed|end|open|range|type|memory win= target= text=
 *   rmalocal  the buffer of a pending access was used: seq= win= text=
 *   changed   memory of the window changed since the call before: win= off= len=
 *   touch     memory of a window was used by this process: win= off= len= write=0|1 lock=x|s|- [seq=] */
#ifndef HBDB_CAPTURE_CHECK_WINDOWS_WINDOWS_H
#define HBDB_CAPTURE_CHECK_WINDOWS_WINDOWS_H

#include "capture/mpi/check/check.h"
#include "mpi_ids.h"

#pragma GCC visibility push(hidden)

enum { HB__LOCK_NONE, HB__LOCK_SHARED, HB__LOCK_EXCLUSIVE };
#define HB__REGIONS 8

struct hb__window {
	struct hb__window *next;
	uintptr_t handle; /* 0: freed, the place may be taken again */
	int number, rank, n;
	char *base; /* of this process; NULL: none, or dynamic */
	int64_t size, unit;
	int64_t watched; /* offset of the memory that is watched */
	uint64_t accesses;
	bool dynamic, shared, polled;
	struct hb__block block; /* in which the memory begins, when it is given */
	bool given, gone;       /* the memory is the program's; that it was given back was said */
	char *copy;             /* HB__COMPARED bytes; NULL: not needed yet */
	int64_t part, copied;   /* of these bytes from `part` on; 0: of none */
	uint32_t copy_turn;     /* which of them no register watched */
	uint32_t made_site;
	MPI_Group group;
	bool has_group;
	bool fence_open;    /* the last fence may have begun an epoch ... */
	uint64_t fence_ops; /* ... and so many accesses rest on it */
	uint32_t fence_site;
	uint32_t mixed_site; /* a lock since then under which something was accessed; 0: none */
	bool mixed_told;
	bool started, posted, lock_all;
	uint32_t start_site, post_site, all_site, nlocks;
	uint32_t room;       /* of the arrays below, by rank */
	uint8_t *started_to; /* 1: in the group of the access epoch */
	uint8_t *lock;       /* HB__LOCK_* */
	uint32_t *lock_site;
	uint32_t nregions; /* of a dynamic one: memory attached */
	struct {
		char *base;
		int64_t size;
	} region[HB__REGIONS];
};

/* ---- windows.c ---- */
extern struct hb__window *hb__windows;                /* some are freed */
struct hb__window *hb__window_find(uintptr_t handle); /* NULL: unknown */
/* Which window's memory of this process holds the address; *ret_offset as its remarks count (of a dynamic one the address). */
struct hb__window *hb__window_at(const char *address, int64_t *ret_offset);

/* ---- given.c: memory that the program gave to a window ---- */
void hb__given_freed(struct hb__call *c);                     /* MPI_Free_mem */
void hb__given_end(struct hb__call *c, struct hb__window *w); /* the window is about to be freed */

/* ---- epochs.c ---- */
void hb__epochs_enter(struct hb__call *c, struct hb__window *w);
void hb__epochs_leave(struct hb__call *c, struct hb__window *w, int code);
/* What an access to the target rests on, and that it does; says it when there is nothing. */
enum hb_epoch hb__epoch_use(struct hb__call *c, struct hb__window *w, int target, bool *ret_exclusive);
/* The call is wrong: on which window, and for which target (-1: of none). */
void hb__epoch_wrong(struct hb__call *c, const struct hb__window *w, enum hb_misuse error, int target,
	const char *format, ...) __attribute__((format(printf, 5, 6)));
void hb__epochs_over(struct hb__call *c, struct hb__window *w); /* freed, or the end of the program */

/* ---- flat.c: bytes that a number of datatypes covers ---- */
struct hb__run {
	int64_t offset, length, count, stride;
};
#define HB__RUNS 16
struct hb__flat {
	uint32_t n;
	bool exact;    /* false: one run, from the first to the last byte */
	int32_t basic; /* the predefined datatype that it consists of, -1: several, or not known */
	int64_t bytes;
	uint64_t signature; /* 0: not known */
	struct hb__run run[HB__RUNS];
};
void hb__flatten(uintptr_t type, int64_t count, struct hb__flat *ret);
static inline bool hb__flat_dense(const struct hb__flat *f) { return f->n == 1 && f->exact && f->run[0].count == 1; }

/* ---- access.c ---- */
struct hb__access {
	enum hb_access op;
	const char *origin, *result, *compare; /* buffers; NULL: none */
	int64_t origin_count, result_count, target_count, disp;
	uintptr_t origin_type, result_type, target_type, operation;
	bool has_operation;
	int target;
	MPI_Request *request;
};
void hb__access_enter(struct hb__call *c, struct hb__window *w);
void hb__access_leave(struct hb__call *c, int code);

/* ---- locals.c: buffers of this process while accesses are pending ---- */
struct hb__local {
	uint64_t seq;
	struct hb__window *window;
	const char *at;
	int64_t bytes;
	bool write, fresh;   /* write: it is a result; fresh: its call has not returned */
	bool told, overlaps; /* overlaps: with one that was pending before */
	int target;
	uint32_t site;
	const char *function;
	MPI_Request *request; /* request-based, where the program keeps it */
	uintptr_t handle;     /* ... and the request */
	uint64_t digest;
	int64_t index; /* in the array of the completion under way, -1 */
};
#define HB__LOCALS 128
extern struct hb__local hb__locals[HB__LOCALS];
extern uint32_t hb__nlocals;
void hb__local_add(struct hb__call *c, struct hb__window *w, uint64_t seq, const struct hb__access *a, const char *at,
	int64_t bytes, bool write, bool overlaps);
/* A buffer is used by a call: `seq` by that access, else 0. True: an access is pending there, which is told once. */
bool hb__local_use(struct hb__call *c, const char *at, int64_t bytes, bool write, uint64_t seq);
void hb__locals_call(struct hb__call *c); /* the buffers of a call that is no access */
/* What is complete at the origin by a synchronisation; target -1: all. */
void hb__locals_synced(struct hb__call *c, struct hb__window *w, int target);
void hb__locals_completing(struct hb__call *c);
void hb__locals_completed(struct hb__call *c);
/* An access has returned: its request is known. */
void hb__locals_accessed(const struct hb__call *c, int code);
enum hb_held hb__lock_held(const struct hb__window *w);

/* ---- compare.c: stores between calls, by what has changed ---- */
#define HB__COMPARED 4096                         /* bytes of a window at a time */
void hb__compare_begin(const struct hb__call *c); /* a call of the program is over */
void hb__compare_end(struct hb__call *c);         /* the next one begins */

/* ---- watch.c: loads and stores between calls, by debug registers where the kernel lets us ---- */
void hb__watch_begin(const struct hb__call *c); /* a call of the program is over */
void hb__watch_stop(const struct hb__window *w);
/* MPI_Win_sync: the program looks at what others write meanwhile, and may. */
void hb__watch_polled(struct hb__window *w);
void hb__watch_pending(const struct hb__call *c, const struct hb__local *p);
void hb__watch_done(const struct hb__local *p);

#pragma GCC visibility pop

#endif
