/* The numbers that MPI's constants have in a recording. Each library chose its own; a recording is read, and replayed, under the
 * other one, too, so the recorder turns them into these, and the replayer back. hbdb-recording(5) lists them.
 * For all who read recordings: no header of MPI stands behind it. */
#ifndef HBDB_CALLS_NEUTRAL_H
#define HBDB_CALLS_NEUTRAL_H

/* Constants among ranks and tags. MPI asks no more of them than that they differ from what they stand beside: a tag may be the
 * same number as a rank. */
enum {
	HB_ANY_SOURCE = -1,
	HB_PROC_NULL = -2,
	HB_ROOT = -3,
	HB_ANY_TAG = -1,
	HB_UNDEFINED =
		-32766, /* also an argument that the call does not read here, as recvcount elsewhere than at the root */
	HB_NONE = -1,   /* a handle that is null */
};

/* Error classes: hb_row.result, and the errors in statuses. */
enum {
	HB_SUCCESS = 0,
#define HB_ERROR(name, number) HB_ERR_##name = number,
#include "calls/errors.def"
#undef HB_ERROR
};

/* Predefined operations. */
enum {
#define HB_OPERATION(name) HB_OPERATION_##name,
#include "calls/operations.def"
#undef HB_OPERATION
};

/* What a fence asserts: a sum of these. */
enum { HB_FENCE_NOSTORE = 1, HB_FENCE_NOPUT = 2, HB_FENCE_NOPRECEDE = 4, HB_FENCE_NOSUCCEED = 8 };

#endif
