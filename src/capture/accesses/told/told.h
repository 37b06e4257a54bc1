/* Arrays that nobody registered, of which the program told MPI or ScaLAPACK how they are spread over processes. */
#ifndef HBDB_CAPTURE_ACCESSES_TOLD_H
#define HBDB_CAPTURE_ACCESSES_TOLD_H

#include "capture/accesses/front/front.h"
#include "capture/core/spread.h"

#pragma GCC visibility push(hidden)

/* ---- told.c ---- */

/* The memory that an address lies in: a block of the heap, or a static variable. */
struct hb__memory {
	uintptr_t low;
	size_t bytes; /* 0: not known */
	char name[200], file[512];
	uint32_t line;
};
void hb__memory_of(const void *at, const void *pc, struct hb__memory *ret);
/* It becomes an array of this description, unless the program has registered it. memory: that of as->at. NULL: it does not. */
struct hb__array *hb__array_becomes(struct hb__thread *t, const hb_array *as, const struct hb__memory *memory);
bool hb__told_element(const struct hb__spread_element *element, hb_element *ret);
/* The array that was told before at this address; NULL: none was, or it is gone. */
struct hb__array *hb__array_told_at(const void *at);

/* ---- halo.c ---- */
void hb__told_halo(struct hb__thread *t, const struct hb__spread_halo *halo, const void *pc);
/* What all processes have found out is put together: how much they own need not be the same then. */
void hb__halos_say(struct hb__spread_saying *ret);
void hb__halos_said(struct hb__thread *t, const struct hb__spread_saying *saying, uint32_t processes);

/* ---- whole.c ---- */
/* The whole of an array, from what all its processes say, this one `mine`: extents, and where this one's part begins. False: it is not one array, or one has not said it. */
bool hb__whole_of(const struct hb__spread_saying *saying, uint32_t processes, const struct hb__spread_said *mine,
	int64_t *ret_global, int64_t *ret_first);

#pragma GCC visibility pop

#endif
