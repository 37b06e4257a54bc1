/* The quick way of a call, in generated wrappers: nothing unusual is asked for (one test of the lane's word), and the slot that came
 * after the last one before has the same function, place and arguments (compared by generated code). Then there is no array of
 * arguments, no handler and nobody to tell: the library is called, and the row written. Everything else goes to the handler of the
 * function, which does the same for any call. */
#ifndef HBDB_CAPTURE_WRAP_QUICK_QUICK_H
#define HBDB_CAPTURE_WRAP_QUICK_QUICK_H

#include "capture/mpi/family/family.h"
#include "capture/mpi/slots/slots.h"
#include "capture/mpi/wrap/wrap.h"

#pragma GCC visibility push(hidden)

/* What must be in no lane's word where a call goes this way: anything; anything but that tables need their lock, for a call that uses
 * none; ... or that only choices are stored, for a call that only looks. */
#define HB__UNUSUAL UINT32_MAX
#define HB__UNUSUAL_ALONE (UINT32_MAX & ~HB__WORD_LIMIT(HB__LOCKED))
#define HB__UNUSUAL_POLL (UINT32_MAX & ~HB__WORD_LIMIT(HB__LOCKED | HB__AT_ORDER | HB__SYSTEM))

/* A pointer where the standard wants one, or says that none is wanted. */
#define HB__ANSWERS(pointer, ignore) ((uintptr_t)(ignore) == 0 || (pointer) != 0)

/* An argument as the key of a slot has it. */
#define HB__SAME(type, key, argument) ((__typeof__(type))(key) == (__typeof__(type))(argument))

struct hb__quick {
	struct hb__lane *lane;
	struct hb__slot *slot;
	struct hb_lane_control *control;
	uint64_t enter;
};

static inline __attribute__((always_inline)) struct hb__quick hb__quick_begin(
	struct hb__lane *lane, struct hb__slot *slot, unsigned function)
{
	struct hb_lane_control *control = lane->control;
	lane->last = slot;
	lane->depth = 1;
	control->calls[function]++; /* named, for it has a slot */
	control->inside = (uint64_t)slot->id + 1;
	uint64_t enter = hb__counter_tick();
	control->inside_enter = enter;
	return (struct hb__quick){lane, slot, control, enter};
}

/* The rows of calls that failed, and of those that answer which message there was. */
void hb__quick_failed(struct hb__quick q, uint64_t exit, uint16_t check, const MPI_Status *st, int code);
void hb__quick_message(struct hb__quick q, uint64_t exit, uint16_t check, const MPI_Status *st);

static inline __attribute__((always_inline)) int hb__quick_over(struct hb__quick q, int code)
{
	q.control->inside = 0;
	q.lane->depth = 0;
	return code;
}

static inline __attribute__((always_inline)) int hb__quick_end(
	struct hb__quick q, uint64_t exit, uint16_t check, int code)
{
	if (likely(code == MPI_SUCCESS))
		hb__row_quick(q.lane, q.slot, q.enter, exit, check, NULL, 0);
	else
		hb__quick_failed(q, exit, check, NULL, code);
	return hb__quick_over(q, code);
}

/* What a message holds that is sent. */
static inline __attribute__((always_inline)) uint16_t hb__quick_sent(const struct hb__slot *s, uintptr_t buffer)
{
	return s->check_bytes ? hb__contents((const void *)buffer, s->check_bytes) : 0;
}

/* Of a receive or a probe. */
static inline __attribute__((always_inline)) int hb__quick_received(
	struct hb__quick q, uint16_t check, const MPI_Status *st, int code)
{
	uint64_t exit = hb__counter_tick();
	bool silent = q.slot->answers == HB__TELLS_NOTHING ||
		      (q.slot->answers == HB__TELLS_OTHER_SIZE && hb__status_bytes(st) == q.slot->bytes);
	if (unlikely(code != MPI_SUCCESS))
		hb__quick_failed(q, exit, check, st, code);
	else if (likely(silent))
		hb__row_quick(q.lane, q.slot, q.enter, exit, check, NULL, 0);
	else
		hb__quick_message(q, exit, check, st);
	return hb__quick_over(q, code);
}

/* A send or a receive has made a request. source, tag: where they stand among the recorded arguments of a receive. */
void hb__quick_track(struct hb__lane *lane, const MPI_Request *request);
void hb__quick_track_receive(
	struct hb__lane *lane, const struct hb__slot *slot, const MPI_Request *request, unsigned source, unsigned tag);

/* Of a collective; buffer: the one that its side lies in. */
static inline __attribute__((always_inline)) uint16_t hb__quick_side(const struct hb__part *part, uintptr_t buffer)
{
	return part->there && buffer ? hb__contents((const uint8_t *)buffer + part->from, part->bytes) : 0;
}

static inline __attribute__((always_inline)) int hb__quick_collected(
	struct hb__quick q, uint64_t exit, uint16_t given, uintptr_t buffer, int code)
{
	uint16_t check = given;
	if (q.slot->out.there) {
		uint16_t got = code == MPI_SUCCESS ? hb__quick_side(&q.slot->out, buffer) : 0;
		check = q.slot->in.there ? hb__contents_both(given, got) : got;
	}
	return hb__quick_end(q, exit, check, code);
}

/* At level order, around a call that is no choice. */
static inline __attribute__((always_inline)) void hb__counted_begin(struct hb__lane *lane, unsigned function)
{
	lane->control->calls[function]++;
	lane->depth = 1;
}
static inline __attribute__((always_inline)) int hb__counted_end(struct hb__lane *lane, int code)
{
	lane->depth = 0;
	return code;
}
void hb__counted_receive(struct hb__lane *lane, const MPI_Request *request, int source, int tag);
bool hb__completes_choice(int n, const MPI_Request *reqs);
int hb__counted_wait(struct hb__lane *lane, hb__function next, MPI_Request *req, MPI_Status *st);
int hb__counted_waitall(struct hb__lane *lane, hb__function next, int n, MPI_Request *reqs, MPI_Status *st);

/* Completions, complete.c. */
int hb__quick_wait(struct hb__lane *lane, struct hb__slot *slot, hb__function next, MPI_Request *req, MPI_Status *st);
#define HB__QUICK_REQUESTS 24 /* as many at most */
int hb__quick_waitall(
	struct hb__lane *lane, struct hb__slot *slot, hb__function next, int n, MPI_Request *reqs, MPI_Status *st);

int hb__quick_waitany(struct hb__lane *lane, struct hb__slot *slot, hb__function next, int n, MPI_Request *reqs,
	int *index, MPI_Status *st);
int hb__quick_waitsome(struct hb__lane *lane, struct hb__slot *slot, hb__function next, int n, MPI_Request *reqs,
	int *out, int *indices, MPI_Status *st);
/* Polls of several; who asks. */
struct hb__asker {
	const struct hb__fn *fn;
	hb__function next;
	const void *pc, *cfa;
};
int hb__quick_testall(
	struct hb__lane *lane, const struct hb__asker *who, int n, MPI_Request *reqs, int *flag, MPI_Status *st);
int hb__quick_testany(struct hb__lane *lane, const struct hb__asker *who, int n, MPI_Request *reqs, int *index,
	int *flag, MPI_Status *st);
int hb__quick_testsome(struct hb__lane *lane, const struct hb__asker *who, int n, MPI_Request *reqs, int *out,
	int *indices, MPI_Status *st);

/* A poll said yes, or failed: the rest of its handler. */
int hb__quick_probed(struct hb__lane *lane, const struct hb__fn *fn, uintptr_t *a, const void *pc, const void *cfa,
	MPI_Status *st, int code);
int hb__quick_tested(struct hb__lane *lane, const struct hb__fn *fn, uintptr_t *a, const void *pc, const void *cfa,
	uintptr_t was, int code);

#pragma GCC visibility pop

#endif
