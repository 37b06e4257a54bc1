/* Looking at the arguments of one call: what its parts share. */
#ifndef HBDB_CAPTURE_CHECK_ARGUMENTS_LOOK_H
#define HBDB_CAPTURE_CHECK_ARGUMENTS_LOOK_H

#include <string.h>

#include "capture/mpi/check/check.h"
#include "capture/mpi/family/family.h"

#pragma GCC visibility push(hidden)

struct hb__look {
	struct hb__call *c;
	const struct hb__fn *fn;
	const struct hb__comm *comm; /* NULL: none, or one that is not known */
	int root;                    /* its parameter, -1: none */
	int type;                    /* number of the datatype that the next fault is about, 0: none */
	bool faulty;                 /* something was said */
	bool lost;                   /* the communicator or the root is wrong: what rests on them cannot be told */
};

/* ---- say.c ---- */
/* Says that an argument is wrong. The text goes on after "rank 2 calls MPI_Send with dest = 7, but ". `place` >= 0:
 * the element of an array. */
void hb__fault(struct hb__look *l, enum hb_remark_word word, unsigned param, int place, const char *value,
	const char *format, ...) __attribute__((format(printf, 6, 7)));
void hb__fault_number(struct hb__look *l, enum hb_remark_word word, unsigned param, int place, int64_t value,
	const char *format, ...) __attribute__((format(printf, 6, 7)));
/* The same fault at the same place again: said a few times only. */
bool hb__fault_enough(const struct hb__call *c, unsigned word, unsigned param);

/* ---- reading arguments ---- */
static inline unsigned hb__kind(const struct hb__look *l, unsigned i) { return l->fn->param[i].kind; }
static inline const char *hb__name(const struct hb__look *l, unsigned i) { return l->fn->param[i].name; }
/* An array that the call reads. */
static inline bool hb__is_array(unsigned kind)
{
	switch (kind) {
	case HB_P_COUNTS:
	case HB_P_DISPLS:
	case HB_P_DTYPES:
	case HB_P_CINTPTR:
	case HB_P_MEMBERS:
	case HB_P_RANKS:
	case HB_P_RANGES:
	case HB_P_GRID:
	case HB_P_NODES:
	case HB_P_NEIGHBORS:
	case HB_P_PERDIM:
	case HB_P_AINTS:
	case HB_P_CNTS:
		return true;
	default:
		return false;
	}
}
static inline bool hb__named(const struct hb__look *l, unsigned i, const char *name)
{
	return strcmp(l->fn->param[i].name, name) == 0;
}
/* "counts[3]": the name of a parameter, and the place in an array (-1: none). */
const char *hb__argument(const struct hb__look *l, unsigned param, int place, char *ret, size_t size);
int hb__find_param(const struct hb__look *l, const char *name); /* -1: none */
int hb__find_kind(const struct hb__look *l, unsigned kind);     /* the first one; -1: none */
static inline bool hb__moves(const struct hb__look *l, enum hb_moves how) { return l->fn->means->moves == how; }
static inline bool hb__among_neighbors(const struct hb__look *l)
{
	return l->fn->cls == HB_COLLECTIVE && l->fn->means->topology != HB_TOPOLOGY_NONE;
}
/* It gets what the target had before. */
static inline bool hb__fetches(const struct hb__fn *fn)
{
	return fn->means->does == HB_DOES_GET_ACCUMULATE || fn->means->does == HB_DOES_FETCH_AND_OP;
}
/* A scalar argument; 64 bits wide where the parameter is. */
int64_t hb__value(const struct hb__look *l, unsigned i);
/* Element k of an array of numbers. */
int64_t hb__element(const struct hb__look *l, unsigned i, int64_t k);

enum { HB__NO_OP = 13 }; /* MPI_NO_OP: its place in calls/operations.def */

/* ---- part.c: arguments of collectives; what of them counts at this process: track.h ---- */
bool hb__in_place_allowed(const struct hb__look *l, unsigned i);
/* How long an array of a collective is; 0 when that is not known. */
int hb__length(const struct hb__look *l, unsigned i);

/* ---- the parts ---- */
void hb__look_handle(struct hb__look *l, unsigned i, int place, enum hb__handle what, uintptr_t handle); /* kinds/ */
void hb__look_handles(struct hb__look *l);
void hb__look_requests(struct hb__look *l);
void hb__look_pointers(struct hb__look *l); /* where results go */
void hb__look_counts(struct hb__look *l);
void hb__look_ranks(struct hb__look *l);
void hb__look_types(struct hb__look *l);
void hb__look_twice(struct hb__look *l); /* datatypes that name a byte twice */
void hb__look_operation(struct hb__look *l);
void hb__look_buffers(struct hb__look *l);
void hb__look_constructor(struct hb__look *l); /* functions/: of datatypes */
void hb__look_group(struct hb__look *l);       /* and communicators, topologies */
void hb__look_other(struct hb__look *l);       /* windows, files, attributes, ... */

/* "MPI_INT", or "a derived datatype". */
const char *hb__type_text(MPI_Datatype handle);

/* ---- kinds/live.c ---- */
void hb__live_enter(struct hb__call *c);
void hb__live_leave(struct hb__call *c);       /* of a call that succeeded */
int hb__window_size(const struct hb__look *l); /* how many processes its window has; 0: not known */
int64_t hb__attached(void);                    /* bytes of the buffer for MPI_Bsend; -1: there is none */
int hb__group_size(uintptr_t handle);          /* -1: not known */

/* ---- failed.c ---- */
void hb__check_failed(struct hb__call *c, int code);
void hb__fatal_asked(struct hb__call *c);

#pragma GCC visibility pop

#endif
