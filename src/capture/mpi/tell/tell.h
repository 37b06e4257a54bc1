/* What the program tells MPI of its arrays, to who writes the trace of a run that is compared (core/spread.h): views of files, and receives
 * on Cartesian communicators. Nothing where nobody wants to know. */
#ifndef HBDB_CAPTURE_MPI_TELL_H
#define HBDB_CAPTURE_MPI_TELL_H

#include "capture/core/core.h"
#include "capture/core/spread.h"
#include "capture/mpi/library.h"

#pragma GCC visibility push(hidden)

extern bool hb__telling; /* somebody wants to know */
void hb__tell_start(void);
/* A call of the program's is about to be made. */
void hb__tell(struct hb__call *c);

/* ---- types.c ---- */

/* A datatype, as far as it tells of an array. */
struct hb__told_type {
	enum hb__told_how {
		HB__TOLD_NOTHING,
		HB__TOLD_PIECES, /* `blocks` pieces of `length` elements, every `stride`; blocks 1: all behind each other */
		HB__TOLD_BOX,  /* in a storage of `sizes` */
		HB__TOLD_SHARE /* of a distributed array, in the file: block, over, place where it is cyclic */
	} how;
	struct hb__spread_element element;
	int64_t blocks, length, stride;
	unsigned rank;
	bool columns;
	int64_t sizes[HB__SPREAD_DIMENSIONS], start[HB__SPREAD_DIMENSIONS], count[HB__SPREAD_DIMENSIONS];
	int64_t block[HB__SPREAD_DIMENSIONS], over[HB__SPREAD_DIMENSIONS], place[HB__SPREAD_DIMENSIONS];
};
void hb__told_type(MPI_Datatype type, struct hb__told_type *ret);

/* ---- files.c, halos.c: with the lock of tell.c ---- */
void hb__tell_view(const struct hb__call *c);
void hb__tell_moved(const struct hb__call *c); /* to or from a file */
void hb__tell_received(const struct hb__call *c);
/* Arguments of an exchange with neighbours that has a datatype for each: buffer, counts, displacements and types of what is received. */
enum { NEIGHBOR_BUFFER = 4, NEIGHBOR_COUNTS, NEIGHBOR_PLACES, NEIGHBOR_TYPES };
void hb__tell_neighbors(const struct hb__call *c);
void hb__tell_type_freed(void);

/* ---- agree.c ---- */
void hb__tell_grid(const struct hb__call *c); /* one is about to be made */
/* Whether all processes may tell each other, in front of this call. */
bool hb__tell_agrees(const struct hb__call *c);
void hb__tell_agree(const struct hb__call *c);

#pragma GCC visibility pop

#endif
