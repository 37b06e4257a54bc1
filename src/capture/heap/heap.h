/* Which blocks of memory the program has from malloc and its kin, and which it has given back.
 *
 * libhbdb-heap.so stands in front of malloc, and is loaded only where a run is checked (HBDB_REMARKS=1): a recording without
 * that costs nothing. The recorder asks it by the weak symbols below, which are absent where it is not loaded.
 *
 * Only what is certain is answered. Whoever defines malloc in front of us, or behind us in the place of the C library
 * (jemalloc, tcmalloc, a sanitizer), may hand out memory by functions that we do not see: then nothing is known, and why is said. */
#ifndef HBDB_CAPTURE_HEAP_HEAP_H
#define HBDB_CAPTURE_HEAP_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum hb_heap_state {
	HB_HEAP_UNKNOWN, /* in no block that we know */
	HB_HEAP_LIVE,
	HB_HEAP_FREED, /* the last block here was freed; what is mapped there now may be something else */
};

struct hb_heap_block {
	enum hb_heap_state state;
	uintptr_t start;
	size_t size;          /* bytes asked for */
	uint32_t life;        /* another one each time that a block begins here */
	const void *made;     /* who called malloc or its like: a return address */
	const void *ended;    /* of a freed one: who called free */
	uint32_t nth;         /* of a live one: what hb_heap_made was told; HB_HEAP_UNCOUNTED: nothing */
	const uint64_t *turn; /* what was answered holds while *turn is `was`; NULL: ask again */
	uint64_t was;
};

/* The block in which the address lies: a live one if there is one, else the one that was freed. Any thread; takes no lock. */
enum hb_heap_state hb_heap_find(const void *p, struct hb_heap_block *ret) __attribute__((weak, visibility("default")));
/* NULL: blocks are known. Else why they are not: "malloc is that of libjemalloc.so.2". */
const char *hb_heap_unknown(void) __attribute__((weak, visibility("default")));

/* For what follows the memory of a program (capture/accesses/watch): `ends` is called before a block is given back; `begun` when there is one, of which
 * `bytes` bytes from `empty` on hold nothing yet. Both may be called by any thread, and call malloc. */
void hb_heap_tell(void (*ends)(void *p), void (*begun)(void *p, size_t empty, size_t bytes, const void *made))
	__attribute__((weak, visibility("default")));
/* A block that has just begun was asked for by `made`, which may be another caller than malloc's (operator new's), and is the nth of its kind. */
#define HB_HEAP_UNCOUNTED UINT32_MAX
void hb_heap_made(void *p, const void *made, uint32_t nth) __attribute__((weak, visibility("default")));

/* ---- table.c, for malloc.c ---- */
void hb__heap_begins(void *p, size_t size, const void *made);
/* Before the block is given back. False: not one that we know. */
bool hb__heap_ends(void *p, const void *ended);
void hb__heap_stays(void *p);                /* it was not given back after all */
void hb__heap_resized(void *p, size_t size); /* where it is */
bool hb__heap_full(void);                    /* there was no memory to write everything down */

#endif
