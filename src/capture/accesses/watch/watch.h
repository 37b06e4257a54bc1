/* What instrumented code accesses. Entered by entries.c, which has the names that the compiler's code calls; asked by front/ through hb__watcher.
 * The recorder's rules hold here, too: no allocation by malloc, nothing printed, nothing of the program's called. */
#ifndef HBDB_CAPTURE_WATCH_H
#define HBDB_CAPTURE_WATCH_H

#include "capture/accesses/access.h"

#pragma GCC visibility push(hidden)

/* ---- access.c ---- */

/* What an instruction accessed the last time. It holds for [low, low + bytes) while *valid is `was`. */
struct hb__seen_place {
	const void *pc;
	uintptr_t low, bytes;
	struct hb__array *array; /* NULL: none */
	const uint64_t *valid;
	uint64_t was;
	uint64_t number; /* in the trace; 0: it has none yet */
	uint8_t shift;   /* of an element's bytes */
	bool nothing;    /* no array, and nothing else that is known: no variable, no block, no stack */
};

/* Elements that were written, and are told when their values are known. */
struct hb__written {
	struct hb__array *array; /* NULL: none, or a variable of a reduction: */
	const void *variable;
	uint64_t element, n, place;
};

#define HB__PLACES 1024u
struct hb__watch {
	struct hb__thread *thread;
	struct hb__watch *next;
	struct hb__written written;
	uintptr_t stack_low, stack_bytes; /* 0, 0: not known */
	/* control/ */
	uint64_t looked[2]; /* elements of arrays that were read, and written */
	uint32_t serial;    /* what it does now ... */
	uint64_t epoch;     /* ... if this is the epoch */
	const void *half;   /* the variable of a reduction that it has read, and may be about to write ... */
	uint64_t half_at;   /* ... and where it did */
	struct hb__seen_place place[HB__PLACES];
};

/* An access of n bytes that the caller's caller is about to make; atomic: no other thread comes between. */
void hb__seen(void *p, size_t n, uint8_t access, bool atomic, const void *pc);
/* There is, or was, a variable of a reduction. */
extern bool hb__seen_variables;
/* That of this thread, which is `t`; NULL: no memory. */
struct hb__watch *hb__watch_of(struct hb__thread *t);
/* What `t` wrote is told, now that its values are known. */
void hb__seen_settle(struct hb__thread *t);
/* Nothing more is told of an array. */
void hb__seen_forget(const struct hb__array *array);
/* Of all threads, by `next`. */
struct hb__watch *hb__watches(void);

/* ---- find.c ---- */

/* Fills in what is there: array, low, bytes, valid, was. */
void hb__seen_find(struct hb__watch *w, struct hb__seen_place *place, const void *p);

/* ---- identity.c ---- */

/* What the debugging information says. Texts are static, until the next call; file may be NULL, line 0. */
struct hb__identity {
	char name[200], file[512];
	uint32_t line;
	hb_element type;
	bool typed; /* the type is known */
	uintptr_t at;
	size_t bytes; /* of a static variable */
};
/* The static variable in which an address lies, of the module that is loaded at `module`. False: none. One caller at a time. */
bool hb__identity_static(const void *p, uintptr_t module, struct hb__identity *ret);
/* Between these two: one thread asks; blocks that it allocates meanwhile are libdw's. hb__identity_lock is false where this thread does so already. */
bool hb__identity_lock(void);
void hb__identity_unlock(void);
/* What a block of memory is called that was allocated by the call that returns to `made`. */
void hb__identity_block(const void *made, struct hb__identity *ret);

/* find.c: what the memory is called that an address lies in, and where it is: a block of the heap, or a static variable. False: neither. */
bool hb__seen_memory(const void *p, struct hb__identity *ret, uintptr_t *ret_low, size_t *ret_bytes);

/* ---- sites.c ---- */

/* There is a block: by whom it is known, and the how many-th of that name and place it is. Where a function that allocates for others asked for it,
 * it is known by who called that. Of at least HB__BLOCK_LEAST bytes, and where there is instrumented code. */
#define HB__BLOCK_LEAST 32u /* smaller ones are nodes of lists and the like */
void hb__site_of(void *p, size_t bytes, const void *made);

/* ---- control/control.c ---- */

/* An access to n bytes at `at`, which are of e->array, or of none. */
void hb__control(struct hb__thread *t, struct hb__watch *w, struct hb__seen_place *e, uintptr_t at, size_t n,
	uint8_t access, bool atomic);
void hb__control_begins(struct hb__thread *t, hb_construct_type type);
void hb__control_ends(struct hb__thread *t, hb_construct_type type);
void hb__control_iterates(struct hb__watch *w, hb_construct_type type, unsigned n, const int64_t *index);
void hb__control_reduction(const void *at, hb_element type);
void hb__control_reduced(const void *at);
/* All threads of a parallel region have met. */
void hb__control_barrier(void);
/* Whether the first thread is in a parallel construct. */
bool hb__control_parallel(void);
/* Tells a finding, once for its place, the other place and the array. */
void hb__control_found(struct hb__thread *t, struct hb__watch *w, hb_control_finding finding, struct hb__array *array,
	uint64_t element, uint64_t place, uint64_t other, uint32_t serial);

/* ---- control/orders.c: what orders threads of OpenMP ---- */

extern __thread uint32_t hb__orders_held __attribute__((
	tls_model("initial-exec"))); /* locks of the program's, and critical sections, that this thread is in */
bool hb__orders_unknown(void);       /* threads do explicit tasks, of which nobody knows how they are ordered */
void hb__orders_begin(void);         /* a parallel construct begins */

/* ---- control/shadow.c: what is known of the elements of an array ---- */

/* Serial numbers of what accessed it last, and where: places with SHADOW_HELD where the program held a lock, or was atomic. */
struct hb__cell {
	uint32_t writer, written_at, reader[2], read_at[2];
};
#define SHADOW_HELD 0x80000000u
/* Where an element is. */
enum { SHADOW_OWNED, SHADOW_HALO, SHADOW_BORDER /* outside of the array as a whole */ };

struct hb__shadow {
	struct hb__array *array;
	struct hb__cell *cell;
	uint64_t n;      /* elements */
	uint8_t *place;  /* SHADOW_*, of each; NULL: all are owned */
	uint32_t *slot;  /* of each element of the halo: its number */
	uint64_t *halo;  /* the elements of the halo, and of each ... */
	uint32_t *fresh; /* ... the version of the neighbour's data that it has ... */
	uint8_t *had;    /* ... and its value when the array changed the last time */
	uint32_t halos, version;
	uint32_t
		brought; /* the version for which MPI, or the program outside of parallel constructs, has brought something */
	bool changed; /* owned elements were written in the parallel construct that goes on */
	size_t room;  /* bytes of all that */
	struct hb__shadow *next;
};
/* NULL: no memory. */
struct hb__shadow *hb__shadow_of(struct hb__array *array);
void hb__shadow_gone(struct hb__array *array);
/* The parallel construct ends: halos of what was written in it are of an older version now. */
void hb__shadows_end(void);
void hb__shadow_exchanged(struct hb__array *array, const unsigned char *sides);
/* MPI has written there. */
void hb__shadow_received(const void *p, size_t bytes);
/* A halo element was not brought up to date since its owner changed it, as far as we see. */
bool hb__shadow_stale(struct hb__array *array, struct hb__shadow *s, uint64_t element);
/* A registered array, next to whose storage the address is; NULL: none. *ret_element: modulo 2^64. */
struct hb__array *hb__shadow_beside(uintptr_t at, uint64_t *ret_element);
void hb__shadow_registered(struct hb__array *array);

/* What memory holds that nobody has written since it was allocated: of each four bytes; a number that is none. */
#define HB__PAINT 0x7ff5c0deu
bool hb__is_painted_whole(const void *p, size_t n);
static inline bool hb__is_painted(uintptr_t p, size_t n)
{
	return n >= 4 && p % 4 == 0 && unlikely(*(const uint32_t *)p == HB__PAINT) &&
	       hb__is_painted_whole((const void *)p, n);
}

/* The number of the place in the trace. */
static inline uint64_t hb__seen_number(struct hb__thread *t, struct hb__seen_place *e)
{
	if (unlikely(!e->number))
		e->number = hb__place(t, e->pc);
	return e->number;
}

#pragma GCC visibility pop

#endif
