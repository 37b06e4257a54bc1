/* Between front/, which writes the trace, and watch/, which sees each access of the program's instrumented code. Both are in
 * libhbdb-accesses.so. watch/ calls the functions here and never front/ itself; front/ calls watch/ by what it registered (hb__watcher).
 *
 * The way of an access:
 *
 *   if (likely(!hb__watched))                     one word: nothing is wanted now
 *           return;
 *   struct hb__thread *t = hb__thread_here();     NULL: we are inside of ourselves, or there is no trace (any more)
 *   array = hb__array_at(address, &turn);         or as the last time, while hb__arrays_turn is `turn`
 *   hb__touch(array, HB_ACCESS_WRITE);            which arrays this construct touches (HB__WATCH_TOUCHED)
 *   if (hb__watched & HB__WATCH_WRITES && !t->skips)
 *           hb__put_access(t, HB_TRACE_BEFORE, hb__place(t, pc), array, element, value);
 */
#ifndef HBDB_CAPTURE_ACCESSES_ACCESS_H
#define HBDB_CAPTURE_ACCESSES_ACCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/trace/trace.h"

#pragma GCC visibility push(hidden)

#ifndef likely
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#endif

/* ---- what is wanted ---- */

enum {
	HB__WATCH_WRITES = 1,  /* BEFORE and AFTER of writes */
	HB__WATCH_READS = 2,   /* READ */
	HB__WATCH_TOUCHED = 4, /* which arrays are read and written, and nothing of the elements */
	HB__WATCH_CONTROL = 8, /* dynamic control */
};
/* Of the construct that the first thread is in. Read by a plain load; changes only at marks of that thread, so that what other threads do
 * within a parallel construct sees one value. */
extern uint32_t hb__watched;

/* A thread of the program that writes. It is there as long as the process. */
struct hb__thread {
	uint8_t *w, *full;   /* where the next record goes, and where none may begin any more */
	uint8_t *buffer;     /* of HB__BUFFER bytes */
	uint32_t number;     /* 0: the one whose marks make points */
	bool detail, wrote;  /* of the file: its last record is one that may be left out; it has written */
	bool skips;          /* the iteration that it does is not to be traced */
	uint8_t *done;       /* of the buffer: written up to here; under the lock of the file */
	uint8_t *complete;   /* ... and whole records up to here, for other threads */
	uint64_t iterations; /* of the loop that it is in, so far */
	uint64_t loop;       /* which begin of a parallel construct that is of */
	unsigned n;          /* its iteration: */
	int64_t index[HB_DIMENSIONS];
	struct hb__ring *ring; /* of front/ */
	void *watch;           /* of watch/ */
	struct hb__thread *next;
};

/* NULL: nothing is to be written. The thread is inside of the tracer until hb__thread_leaves, and gets NULL meanwhile. */
struct hb__thread *hb__thread_here(void);
void hb__thread_leaves(struct hb__thread *thread);

/* ---- arrays ---- */

struct hb__summed;
struct hb__array {
	uint64_t number; /* in the trace; 0: not written yet */
	hb_array_id id;
	hb_array as; /* count is what it owns; names are copies */
	uint32_t flags;
	uintptr_t low, high; /* its storage: [low, high) */
	uint8_t touched;     /* HB_ACCESS_*, in the construct that the first thread is in; atomic */
	bool gone, strange;
	struct hb__summed *summed; /* of front/: what its last checksum was made of, and was; NULL: it has had none */
	void *watch;               /* of watch/: shadow of its elements; it is asked before the array goes */
	struct hb__array *next, **back; /* of front/: among those that are registered; back NULL: it is none of them */
	struct hb__array *touched_next; /* ... among those that the construct touches */
};

/* Grows when an array comes, changes or goes. What hb__array_at answered holds while it is as it was. */
extern uint64_t hb__arrays_turn;
/* The array in whose storage the address lies; NULL: none that is known. *ret_turn: see above. Any thread; takes a lock. */
struct hb__array *hb__array_at(const void *p, uint64_t *ret_turn);
/* An array that nobody registered: of the heap, or static (HB_TRACE_ARRAY_OWN). One-dimensional, of whole elements. Copies name and file; file:
 * any path, its last component counts. ordinal: HB__ORDINAL_NEXT, or as somebody has counted. What lies in [at, at + bytes) and is known is gone.
 * NULL: no memory, or the program told MPI of an array in there. */
#define HB__ORDINAL_NEXT UINT32_MAX
struct hb__array *hb__array_own(struct hb__thread *thread, const char *name, const char *file, uint32_t line,
	uint32_t ordinal, hb_element type, const void *at, size_t bytes);
/* The memory that begins there was given back. Nothing happens where there is no array. */
void hb__array_freed(struct hb__thread *thread, const void *at);

void hb__touch_more(struct hb__array *array, uint8_t access);
static inline void hb__touch(struct hb__array *array, uint8_t access)
{
	if (unlikely((__atomic_load_n(&array->touched, __ATOMIC_RELAXED) & access) != access))
		hb__touch_more(array, access);
}

/* ---- records ---- */

/* The number of an instruction for READ and others, defined when it is new. pc: where it returns to (the call before it is meant). */
uint64_t hb__place(struct hb__thread *thread, const void *pc);
/* READ, BEFORE, AFTER. element: in the storage, halo included; value: of the array's type. In a dry run it is only counted. Defines the array. */
void hb__put_access(struct hb__thread *thread, hb_trace_kind kind, uint64_t place, struct hb__array *array,
	uint64_t element, const void *value);
/* RV_READ, RV_BEFORE, RV_AFTER of the variable of a reduction that is at `at`. False: there is none there. */
bool hb__put_variable(struct hb__thread *thread, hb_trace_kind kind, uint64_t place, const void *at);
/* array NULL: none. other: 0, or the place of the other access, and other_index its iteration. */
void hb__put_control(struct hb__thread *thread, hb_control_finding finding, struct hb__array *array, uint64_t element,
	uint64_t place, uint64_t other, unsigned n, const int64_t *index, unsigned m, const int64_t *other_index);
/* number: as HB_TROUBLE_* says; text: a sentence. */
void hb__put_trouble(struct hb__thread *thread, hb_trace_trouble what, uint64_t number, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* Whether plain loads of these bytes are safe. */
bool hb__may_read(const void *p, size_t bytes);
/* Zeroed pages that are never given back; NULL: none. */
void *hb__trace_pages(size_t bytes);
const hb_trace_settings *hb__settings(void);
/* Under dynamic control: so many elements more were looked at, over all constructs. */
void hb__looked_at(uint64_t reads, uint64_t writes);
/* Reads them before the trace begins, in a constructor. False: none are asked for, or they cannot be read, which will be said when it begins. */
bool hb__settings_early(void);
/* There is a recorder beside us, and the trace goes on, or may begin yet. */
bool hb__trace_possible(void);

/* ---- what watch/ wants to know; any may be NULL ---- */

struct hb__watcher {
	bool present; /* there is instrumented code: accesses will be seen */
	/* The first thread is at the begin or end of a construct; `point` is NULL where it has none. In a parallel one no other thread of it runs. */
	void (*begins)(struct hb__thread *thread, hb_construct_type type, const hb_point *point);
	void (*ends)(struct hb__thread *thread, hb_construct_type type, const hb_point *point);
	/* The values that were written are to be told before anything else is (AFTER): of this thread, or of all. */
	void (*settles)(struct hb__thread *thread);
	void (*settle_all)(void);
	/* Under dynamic control. */
	void (*iterates)(struct hb__thread *thread, hb_construct_type type, unsigned n, const int64_t *index);
	void (*task)(struct hb__thread *thread, int64_t task);
	void (*array)(struct hb__array *array); /* it came, or has changed */
	void (*gone)(struct hb__array *array);  /* both under the lock of arrays: hb__array_at is not to be called */
	void (*exchanged)(struct hb__array *array, const unsigned char *sides);
	void (*received)(
		const void *p, size_t bytes); /* MPI has written there; in runs of dynamic control, by any thread */
	void (*reduction)(const void *at, hb_element type); /* the variable of the construct that has just begun */
	void (*reduced)(const void *at);                    /* it is complete */
	void (*over)(struct hb__thread *thread); /* the process comes to its end: what is still to be written */
};
extern struct hb__watcher hb__watcher;

/* What told/ does with what MPI was told. */
struct hb__spread;
struct hb__spread_halo;
struct hb__spread_saying;
struct hb__teller {
	void (*spread)(const struct hb__spread *spread, const void *pc);
	void (*halo)(const struct hb__spread_halo *halo, const void *pc);
	void (*says)(struct hb__spread_saying *ret);
	void (*said)(const struct hb__spread_saying *saying, uint32_t processes);
};
extern struct hb__teller hb__teller;

#pragma GCC visibility pop

#endif
