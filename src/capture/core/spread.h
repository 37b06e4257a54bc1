/* How an array is spread over processes, as the program told MPI: from the layer of MPI to who writes the trace (struct hb__tracing). Without
 * anything of MPI, and without a name: what is at the address knows that. */
#ifndef HBDB_CAPTURE_CORE_SPREAD_H
#define HBDB_CAPTURE_CORE_SPREAD_H

#include <stdbool.h>
#include <stdint.h>

enum { HB__SPREAD_DIMENSIONS = 7 };

/* What the elements are. */
struct hb__spread_element {
	char kind;      /* 'r' real, 'c' complex, 'i' integer */
	unsigned bytes; /* of one */
};

/* The part of this process and the whole; members as those of hb_array (include/hbdb/compare.h). */
struct hb__spread {
	const void *at;
	struct hb__spread_element element;
	unsigned rank;
	bool columns; /* the first index is the one next to each other */
	bool loose; /* `at` is of the first element that is owned: what its storage has around it is not known but for `above` */
	int64_t global[HB__SPREAD_DIMENSIONS], first[HB__SPREAD_DIMENSIONS], count[HB__SPREAD_DIMENSIONS];
	int64_t below[HB__SPREAD_DIMENSIONS], above[HB__SPREAD_DIMENSIONS];
	int64_t block[HB__SPREAD_DIMENSIONS], over[HB__SPREAD_DIMENSIONS], place[HB__SPREAD_DIMENSIONS];
};

/* A receive on a Cartesian communicator: where in the storage of an array what comes is put. */
struct hb__spread_halo {
	const void *at; /* rank 0: of its first element; else of the storage */
	struct hb__spread_element element;
	unsigned
		rank; /* of a subarray: a box in a storage; 0: of a vector, `blocks` pieces of `length` elements, every `stride` */
	bool columns;
	int64_t sizes[HB__SPREAD_DIMENSIONS], start[HB__SPREAD_DIMENSIONS], count[HB__SPREAD_DIMENSIONS];
	int64_t blocks, length, stride;
	unsigned dimensions; /* of the communicator */
	int64_t processes[HB__SPREAD_DIMENSIONS], place[HB__SPREAD_DIMENSIONS];
	int toward
		[HB__SPREAD_DIMENSIONS]; /* where the sender is: -1, 0, 1 in each, 2: both ways lead there, 3: farther away; all 0: not known, or there is none */
};

/* What a process says of its part of an array, from whose halos follows how much it owns, so that all of them can find out the whole. */
struct hb__spread_said {
	uint64_t key;                         /* of the array: the same in all processes */
	uint32_t rank, members;               /* members: of the grid */
	int32_t along[HB__SPREAD_DIMENSIONS]; /* of each dimension of the array: that of the grid; -1: none */
	int64_t own[HB__SPREAD_DIMENSIONS], place[HB__SPREAD_DIMENSIONS]; /* by dimension of the array */
};
enum { HB__SPREAD_SAID = 8 };
struct hb__spread_saying {
	uint64_t n;
	struct hb__spread_said said[HB__SPREAD_SAID];
};

#endif
