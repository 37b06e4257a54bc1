/* The steps every handler is made of: begin, call, say what was answered, end. */
#ifndef HBDB_CAPTURE_WRAP_STEP_H
#define HBDB_CAPTURE_WRAP_STEP_H

#include "capture/mpi/family/family.h"
#include "capture/core/data/data.h"
#include "capture/core/follow/follow.h"
#include "capture/mpi/data/io.h"
#include "capture/mpi/observe/observe.h"
#include "capture/mpi/slots/slots.h"
#include "capture/mpi/track/track.h"
#include "capture/mpi/wrap/quick/quick.h"
#include "capture/mpi/wrap/wrap.h"

#pragma GCC visibility push(hidden)

/* A null pointer where the standard wants none: what the library says of it is the program's business. */
#define HB__NEED(pointer)                          \
	do {                                       \
		if (unlikely(!(pointer)))          \
			return hb__invoke_next(c); \
	} while (0)

/* Slot and contents of a call that is stored; in replay also its counterpart in the record. */
static inline void hb__begin(struct hb__call *c, bool choice)
{
	struct hb__lane *lane = c->lane;
	c->choice = choice;
	c->mark = lane->scratch;
	c->nresults = 0;
	c->own = NULL;
	if (hb__config.order && !choice)
		return;
	if (likely(!c->slot)) /* else the checks needed it */
		c->slot = hb__slot_find(c);
	if (c->slot->check_bytes)
		c->check = hb__contents((const void *)c->a[c->slot->check_arg], c->slot->check_bytes);
	if (unlikely(hb__digests))
		hb__digests_begin(c);
	c->outer_inside = lane->control->inside;
	lane->control->inside = c->slot->inside;
	if (unlikely(hb__way) && hb__way->begin)
		hb__way->begin(c);
	if (hb__config.order)
		return;
	c->enter = hb__tick();
	lane->control->inside_enter = c->enter;
}

/* spawn.c: a call that spawns, or meets others, up to the end of the call itself. */
int hb__bridge(struct hb__call *c, const struct hb__comm *parent);

/* The event of a poll begins when it has said yes: nothing is spent on those that say no. */
static inline void hb__begin_poll(struct hb__call *c)
{
	c->choice = true;
	c->mark = c->lane->scratch;
	c->nresults = 0;
	c->slot = hb__slot_find(c);
	if (unlikely(hb__digests))
		hb__digests_mark(c);
	c->enter = hb__config.order ? 0 : hb__tick();
}

static inline void hb__end(struct hb__call *c, int code)
{
	struct hb__lane *lane = c->lane;
	if (hb__config.order && !c->choice)
		return;
	if (unlikely(c->deferred))
		hb__way->begin(c);
	int error = likely(code == MPI_SUCCESS) ? 0 : hb__error_class(code);
	if (unlikely(hb__digests))
		hb__digests_end(c, code);
	if (unlikely(hb__alone))
		hb__alone_end(c, error);
	else if (likely(!hb__config.order))
		hb__row_usual(c, hb__tick(), error);
	else
		hb__row_choice(c, error);
	lane->control->inside = c->outer_inside;
	if (c->nresults || unlikely(c->own != NULL))
		hb__scratch_release(lane, c->mark);
}

static inline void hb__end_poll(struct hb__call *c, int code)
{
	int error = likely(code == MPI_SUCCESS) ? 0 : hb__error_class(code);
	if (unlikely(hb__digests))
		hb__digests_end(c, code);
	if (unlikely(hb__alone))
		hb__alone_end(c, error);
	else
		hb__row_event(c, c->enter, error);
	if (unlikely(c->followed))
		c->lane->control->inside = c->outer_inside;
	hb__scratch_release(c->lane, c->mark);
}

/* Room for `n` results; false without memory, then none are stored. */
static inline bool hb__results(struct hb__call *c, size_t n)
{
	c->results = hb__scratch(c->lane, n * sizeof *c->results);
	return c->results != NULL;
}
static inline void hb__result(struct hb__call *c, int64_t v) { c->results[c->nresults++] = v; }

/* A reference to a posting. */
static inline void hb__result_ref(struct hb__call *c, uint16_t lane, uint64_t posting)
{
	if (likely(lane == c->lane->number)) {
		hb__result(c, 2 * ((int64_t)posting - (c->lane->last_ref + 1)));
		c->lane->last_ref = (int64_t)posting;
	} else {
		hb__result(c, 2 * (int64_t)lane + 1);
		hb__result(c, (int64_t)posting);
	}
}

static inline void hb__result_message(struct hb__call *c, const MPI_Status *st)
{
	hb__result(c, hb__neutral_rank(st->MPI_SOURCE));
	hb__result(c, hb__neutral_tag(st->MPI_TAG));
	hb__result(c, hb__config.order ? -1 : hb__status_bytes(st));
}
#define HB__STATUS_RESULTS 8 /* a status with its reference at most */

/* The status of a request that completed; `error` is a code or MPI_SUCCESS, check: NULL, or of a collective's contents. */
void hb__result_status(
	struct hb__call *c, const struct hb__request *r, const MPI_Status *st, int error, const uint16_t *check);

/* The status argument, or `own` in its place when the program wants none. */
static inline MPI_Status *hb__status(struct hb__call *c, MPI_Status *own)
{
	uintptr_t *at = &c->a[hb__role(c, HB_R_STATUS)];
	if ((MPI_Status *)*at == MPI_STATUS_IGNORE)
		*at = (uintptr_t)own;
	return (MPI_Status *)*at;
}

/* What a handler does when the library has answered; the quick way needs it, too, where the answer is not a usual one. Of a completion:
 * at: its variable; tell: its results, for which there is room. */
void hb__completed(struct hb__call *c, uintptr_t handle, const MPI_Request *at, MPI_Status *st, int error, bool tell);
void hb__all_completed(
	struct hb__call *c, int n, const MPI_Request *reqs, const uintptr_t *was, MPI_Status *st, int code, bool tell);
struct hb__several {
	uint8_t *mark;
	int n;
	MPI_Request *reqs;
	uintptr_t *was; /* the handles in them before */
	MPI_Status *st; /* of the program, or our own */
};
void hb__one_completed(struct hb__call *c, const struct hb__several *s, int index, MPI_Status *st, int code);
void hb__some_completed(struct hb__call *c, const struct hb__several *s, int n, const int *indices, int code);
int hb__test_completed(struct hb__call *c, uintptr_t was, const MPI_Request *req, MPI_Status *st, int code);
int hb__iprobe_found(struct hb__call *c, MPI_Status *st, int code);
/* At level order its completion is a choice. */
bool hb__chosen(uintptr_t handle);

/* Registers what a call returned in its request argument. */
struct hb__request *hb__posted(struct hb__call *c, int code);

#pragma GCC visibility pop

#endif
