/* The quick way of a call, in generated wrappers: nothing unusual is asked for (one test of the lane's word), and the slot that came
 * after the last one before has the same function, place and arguments (compared by generated code). Then there is no array of
 * arguments, no handler and nobody to tell: the library is called, and the row written. Everything else goes to the handler of the
 * function, which does the same for any call. */
#ifndef HBDB_CAPTURE_WRAP_QUICK_QUICK_H
#define HBDB_CAPTURE_WRAP_QUICK_QUICK_H

#include "capture/mpi/family/family.h"
#include "capture/mpi/slots/slots.h"
#include "capture/mpi/slots/tiny.h"
#include "capture/mpi/track/track.h"
#include "capture/mpi/wrap/wrap.h"

#pragma GCC visibility push(hidden)

/* What must be in no lane's word where a call goes this way: anything; anything but that tables need their lock, for a call that uses
 * none; the same of a call that posts no message; ... or that only choices are stored, for a call that only
 * looks, or that completes requests of no other thread. */
#define HB__UNUSUAL UINT32_MAX
#define HB__UNUSUAL_ALONE (UINT32_MAX & ~HB__WORD_LIMIT(HB__LOCKED))
#define HB__UNUSUAL_COLLECTIVE (UINT32_MAX & ~HB__WORD_LIMIT(HB__LOCKED | HB__POSTS))
#define HB__UNUSUAL_PROBE (UINT32_MAX & ~HB__WORD_LIMIT(HB__LOCKED | HB__AT_ORDER | HB__SYSTEM))
#define HB__UNUSUAL_POLL (UINT32_MAX & ~HB__WORD_LIMIT(HB__AT_ORDER | HB__SYSTEM))

/* A pointer where the standard wants one, or says that none is wanted. */
#define HB__ANSWERS(pointer, ignore) ((uintptr_t)(ignore) == 0 || (pointer) != 0)

/* An argument as the key of a slot has it. */
#define HB__SAME(type, key, argument) ((__typeof__(type))(key) == (__typeof__(type))(argument))

/* When it began stands in the lane's control; a call within it that begins another event ends one later than that, so that its row is
 * an unusual one. */
static inline __attribute__((always_inline)) void hb__quick_begin(
	struct hb__lane *lane, struct hb__slot *slot, unsigned function)
{
	struct hb_lane_control *control = lane->control;
	lane->last = slot;
	lane->depth = 1;
	control->calls[function]++; /* named, for it has a slot */
	control->inside = slot->inside;
	control->inside_enter = hb__counter_tick();
}

static inline __attribute__((always_inline)) int hb__quick_over(struct hb__lane *lane, int code)
{
	lane->control->inside = 0;
	lane->depth = 0;
	return code;
}

/* It succeeded; and the same where the row is not a usual one. */
int hb__quick_end_unusual(struct hb__lane *lane, struct hb__slot *slot, uint64_t exit, uint16_t check);

/* checked: as for hb__row_begin. */
static inline __attribute__((always_inline)) int hb__quick_end(
	struct hb__lane *lane, struct hb__slot *slot, uint64_t exit, int checked, uint16_t check)
{
	struct hb_lane_control *control = lane->control;
	int code = MPI_SUCCESS;
	uint8_t *w = hb__row_begin(lane, control, slot, control->inside_enter, exit, checked, check, 0, false);
	if (unlikely(!w))
		return hb__quick_end_unusual(lane, slot, exit, check);
	hb__row_done(lane, control, w);
	control->inside = 0;
	lane->depth = 0;
	__asm__(""
		: "+r"(code)); /* else the compiler keeps what the library returned, which is the same, in a register up to here */
	return code;
}

/* It failed. check: of what was sent; the buffers: what was sent, or given and got, is in them. st: of a receive, or NULL. They
 * return the code. */
int hb__quick_failed(struct hb__lane *lane, struct hb__slot *slot, uint16_t check, const MPI_Status *st, int code);
int hb__quick_send_failed(struct hb__lane *lane, struct hb__slot *slot, uintptr_t buffer, int code);
int hb__quick_cast_failed(struct hb__lane *lane, struct hb__slot *slot, uintptr_t buffer, int code);
int hb__quick_collective_failed(struct hb__lane *lane, struct hb__slot *slot, uintptr_t in, uintptr_t out, int code);

/* The ends of calls with contents: here where they are short and lie where they lay before, else in functions that do all that is left
 * of the call, so that nothing has to be kept for their return. First a message that was sent, and one that is about to be. */
int hb__quick_sent_elsewhere(struct hb__lane *lane, struct hb__slot *s, uint64_t exit, uintptr_t buffer);
uint16_t hb__quick_look(struct hb__slot *s, uintptr_t buffer);

static inline __attribute__((always_inline)) int hb__quick_sent(
	struct hb__lane *lane, struct hb__slot *s, uint64_t exit, uintptr_t buffer)
{
	uint16_t check = 0;
	if (hb__lies_there(&s->seen, buffer) && hb__unchanged(s))
		check = hb__told(hb__hash_tiny(buffer, s->seen.bytes));
	else if (s->check_bytes)
		return hb__quick_sent_elsewhere(lane, s, exit, buffer);
	return hb__quick_end(lane, s, exit, -1, check);
}

static inline __attribute__((always_inline)) uint16_t hb__quick_sends(struct hb__slot *s, uintptr_t buffer)
{
	return hb__lies_there(&s->seen, buffer) && hb__unchanged(s) ? hb__told(hb__hash_tiny(buffer, s->seen.bytes))
								    : hb__quick_look(s, buffer);
}

/* A collective with one buffer, which it gives or gets; and with two. */
int hb__quick_cast_elsewhere(struct hb__lane *lane, struct hb__slot *s, uint64_t exit, uintptr_t buffer);
int hb__quick_collected_elsewhere(
	struct hb__lane *lane, struct hb__slot *s, uint64_t exit, uintptr_t in, uintptr_t out);

static inline __attribute__((always_inline)) int hb__quick_cast(
	struct hb__lane *lane, struct hb__slot *s, uint64_t exit, uintptr_t buffer)
{
	if (hb__lies_there(&s->seen, buffer) && hb__unchanged(s))
		return hb__quick_end(lane, s, exit, 1, hb__told(hb__hash_tiny(buffer, s->seen.bytes)));
	return hb__quick_cast_elsewhere(lane, s, exit, buffer);
}

static inline __attribute__((always_inline)) int hb__quick_collected(
	struct hb__lane *lane, struct hb__slot *s, uint64_t exit, uintptr_t in, uintptr_t out)
{
	if (hb__lies_there(&s->seen, in) && hb__lies_there(&s->got, out) && hb__unchanged(s))
		return hb__quick_end(lane, s, exit, 1,
			hb__told_both(hb__hash_tiny(in, s->seen.bytes), hb__hash_tiny(out, s->got.bytes)));
	return hb__quick_collected_elsewhere(lane, s, exit, in, out);
}

/* Of a receive or a probe: the row of one that answers which message there was. */
int hb__quick_message(
	struct hb__lane *lane, struct hb__slot *slot, uint64_t exit, uint16_t check, const MPI_Status *st);

static inline __attribute__((always_inline)) int hb__quick_received(
	struct hb__lane *lane, struct hb__slot *slot, uint16_t check, const MPI_Status *st, int code)
{
	if (unlikely(code != MPI_SUCCESS))
		return hb__quick_failed(lane, slot, check, st, code);
	uint64_t exit = hb__counter_tick();
	bool silent = slot->answers == HB__TELLS_NOTHING ||
		      (slot->answers == HB__TELLS_OTHER_SIZE && hb__status_bytes(st) == slot->bytes);
	if (unlikely(!silent))
		return hb__quick_message(lane, slot, exit, check, st);
	return hb__quick_end(lane, slot, exit, -1, check);
}

/* A send or a receive has made a request; NULL without memory. source, tag: where they stand among the recorded arguments of a receive. */
static inline __attribute__((always_inline)) struct hb__request *hb__quick_track(
	struct hb__lane *lane, const MPI_Request *request)
{
	struct hb__request *r = hb__request_add(lane, (uintptr_t)*request, request, false);
	if (likely(r))
		r->message = true;
	return r;
}

static inline __attribute__((always_inline)) void hb__quick_track_receive(
	struct hb__lane *lane, const struct hb__slot *slot, const MPI_Request *request, unsigned source, unsigned tag)
{
	struct hb__request *r = hb__quick_track(lane, request);
	if (unlikely(!r))
		return;
	r->receive = true;
	r->source = (int32_t)slot->arg[source];
	r->tag = (int32_t)slot->arg[tag];
	r->wild = slot->answers == HB__TELLS_MESSAGE;
	r->bytes = slot->answers == HB__TELLS_NOTHING ? 0 : slot->bytes;
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

/* At level racing, of blocking messages; slot: of a receive that is a choice, NULL: it is none. carried.c. */
int hb__carried_send(struct hb__lane *lane, const struct hb__fn *fn, uintptr_t *a, hb__function next);
int hb__carried_recv(
	struct hb__lane *lane, const struct hb__fn *fn, uintptr_t *a, hb__function next, struct hb__slot *slot);

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
