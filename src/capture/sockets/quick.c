/* The quick way of a call. A thread makes the same calls again and again: what is needed of each stands together, found by where it was
 * called and what it leads to, and nothing else is looked at. A call that goes another way first (door.c) is known from then on. What is unusual is asked in
 * one word, which the system empties in a child, however that was made.
 *
 * Such a call costs two readings of the clock, and some dozen lines of memory: between calls the system has used the caches for itself. */
#include <errno.h>

#include "capture/core/control/control.h"
#include "capture/core/follow/follow.h"
#include "capture/core/layer.h"
#include "capture/sockets/ends.h"

#define KNOWN 1024u /* of a thread; a power of two */
/* A wait with a limit of time takes as long, and a tick of the system's clock at least (a millisecond, where it has 1000 of them); one of ours is 4 to 8 ns. */
#define MOMENT 30000u

struct hb_known_call {
	const void *pc;
	uint32_t argument, lives;
	uint16_t function, number, slot;
	uint16_t row; /* how its row begins, with row_bytes; see hb__slot */
	uint8_t row_bytes;
	bool open; /* its slot is that of others, too, and has the argument of the last one */
} __attribute__((aligned(32)));
struct hb__known {
	struct hb_known_call at[KNOWN];
};

/* The most usual way: what is fetched for it stands together. */
#define QUICK __attribute__((hot, aligned(64)))

/* Ends that were named one after the other, as those of connections are, stand side by side: they share lines and pages of memory. */
static inline size_t place(const void *pc, uint32_t argument)
{
	return (((uintptr_t)pc * 0x9e3779b97f4a7c15u >> 40) + argument) % KNOWN;
}

/* counter: whether the clock is the processor's counter, which is asked once, so that the way of a call is straight. */
static inline __attribute__((always_inline)) uint64_t tick(const struct hb__here *here, bool counter)
{
#if defined(__x86_64__)
	if (counter)
		return (__rdtsc() - here->zero) >> here->shift;
#endif
	(void)here;
	(void)counter;
	return hb__tick();
}

/* ---- which calls ---- */

/* The clock is the same as long as the process has its log, and so is the rest but for hb__here_unusual. */
static bool is_usual(struct hb__here *here)
{
	if (likely(here->usual))
		return true;
	if ((hb__config.mode != HB__RECORD && !hb__forked()) || hb__controlled || hb__clock.stands ||
		hb__talk_keeps_contents())
		return false;
	here->counter = hb__clock.counter;
	here->shift = hb__clock.shift;
	here->zero = hb__clock.zero;
	here->straight = here->counter && !hb__after_event;
	return here->usual = true;
}

/* Who calls there is the program, and will be. */
static bool is_program(const void *pc)
{
	unsigned who = hb__of_program(pc);
	return who & HB__TALKS || (who & HB__TALKS_WITHOUT_MPI && hb__began_alone());
}

void hb__talk_know(const struct hb_talk *t, uint16_t number)
{
	struct hb__lane *lane = t->lane;
	const struct hb__slot *s = t->slot;
	if (!hb__here || lane->depth || !s->plain || !is_usual(hb__here) || !is_program(t->pc))
		return;
	if (!lane->known_calls && !(lane->known_calls = hb__pages(sizeof *lane->known_calls)))
		return;
	lane->here = hb__here;
	lane->known_calls->at[place(t->pc, (uint32_t)t->argument)] = (struct hb_known_call){.pc = t->pc,
		.argument = (uint32_t)t->argument,
		.lives = lane->lives,
		.function = (uint16_t)t->function,
		.number = number,
		.slot = (uint16_t)s->id,
		.row = s->row,
		.row_bytes = s->row_bytes,
		.open = s->open != 0};
}

/* ---- a call ---- */

static struct hb__slot *slot_of(const struct hb__lane *lane, const struct hb_known_call *k)
{
	return &lane->slots->slot[k->slot];
}

static __attribute__((noinline)) void change(struct hb__lane *lane, const struct hb_known_call *k)
{
	uint8_t apart = hb__apart;
	int error = errno;
	hb__apart = apart | HB__APART_OURS;
	hb__slot_change(lane, slot_of(lane, k), 0, k->argument, k->argument);
	hb__apart = apart;
	errno = error;
}

static inline __attribute__((always_inline)) void begin(
	struct hb_quick *q, struct hb__lane *lane, const struct hb_known_call *k, bool counter)
{
	struct hb_lane_control *control = lane->control;
	q->lane = lane;
	q->call = k;
	q->outside = control->inside;
	control->calls[k->number]++;
	control->inside = 1u + k->slot;
	q->enter = tick(lane->here, counter);
	control->inside_enter = q->enter;
}

static __attribute__((noinline)) bool begin_otherwise(
	struct hb_quick *q, struct hb__lane *lane, const struct hb_known_call *k)
{
	if (!lane->here->usual)
		return false;
	if (k->open && slot_of(lane, k)->key[0] != k->argument)
		change(lane, k);
	begin(q, lane, k, lane->here->counter);
	return true;
}

/* In a child by vfork the thread has no lane, and a lane has no such calls where no child is told apart. */
QUICK bool hb__talk_quick(struct hb_quick *q, enum hb_socket_function function, uint32_t argument, const void *pc)
{
	struct hb__lane *lane = hb__self;
	if (unlikely(!lane || !lane->known_calls || hb__apart | lane->depth))
		return false;
	const struct hb_known_call *k = &lane->known_calls->at[place(pc, argument)];
	if (unlikely(k->pc != pc || k->argument != argument || k->function != function || k->lives != lane->lives))
		return false;
	if (unlikely(k->open || !lane->here->straight))
		return begin_otherwise(q, lane, k);
	begin(q, lane, k, true);
	return true;
}

/* The row does not fit what the quick way takes for granted. */
static __attribute__((noinline)) void unusual(const struct hb_quick *q, uint64_t exit, const int64_t *results, size_t n)
{
	int error = errno;
	uint64_t enter = q->enter >= q->lane->last_tick ? q->enter : q->lane->last_tick;
	exit = exit >= enter ? exit : enter;
	hb__row_unusual(q->lane, slot_of(q->lane, q->call), enter, exit, 0, results, n);
	errno = error;
}

/* hb_put_uv without a branch, which would often go the other way than the last time: times are about as long as one byte holds. Writes four
 * bytes. */
#define SHORT (1u << 21)
static inline __attribute__((always_inline)) uint8_t *put_short(uint8_t *w, uint32_t v)
{
	uint32_t two = v > 0x7f, three = v > 0x3fff;
	hb_put32(w, (v & 0x7f) | (v & 0x3f80) << 1 | (v & 0x1fc000) << 2 | two << 7 | three << 15);
	return w + 1 + two + three;
}

static uint8_t *put(uint8_t *w, uint64_t v) { return likely(v < SHORT) ? put_short(w, (uint32_t)v) : hb_put_uv(w, v); }

/* False: nothing is written. A handler may have made events since the call began. */
static bool row(const struct hb_quick *q, uint64_t exit, const int64_t *results, size_t n)
{
	struct hb__lane *lane = q->lane;
	struct hb_lane_control *control = lane->control;
	uint8_t *w = lane->w;
	uint64_t gap = q->enter - lane->last_tick, took = exit - q->enter, polls = control->polls;
	if (unlikely(w + (n + 1) * HB_UV_MAX >= lane->full || (int64_t)(gap | took) < 0))
		return false;
	if (polls) {
		*w++ = HB_ROW_POLLS;
		w = put(w, polls);
	}
	hb_put16(w, q->call->row | (n > 0)); /* the lowest bit of a uv is that of its first byte */
	w = put(put(w + q->call->row_bytes, gap), took);
	if (n)
		*w++ = (uint8_t)n;
	for (size_t i = 0; i < n; i++) {
		uint64_t v = hb_zigzag(results[i]);
		if (likely(v < 0x80)) /* what a wait tells of each descriptor */
			*w++ = (uint8_t)v;
		else
			w = put(w, v);
	}
	lane->last_tick = exit;
	hb__row_done(lane, control, w);
	control->polls = 0;
	return true;
}

/* Something unusual was asked for meanwhile; or a handler of the program made a child, in which it returns from this call: the lane is its parent's. */
static void late(const struct hb_quick *q, const int64_t *results, size_t n)
{
	hb__notice_fork();
	if (hb__self == q->lane) {
		unusual(q, hb__tick(), results, n);
		q->lane->control->inside = q->outside;
		hb__control_check(q->lane);
	}
}

static __attribute__((noinline)) void end(const struct hb_quick *q, uint64_t exit, const int64_t *results, size_t n)
{
	int error = errno;
	uint8_t apart = hb__apart;
	hb__apart = apart | HB__APART_OURS;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (unlikely(!hb__here->usual)) {
		late(q, results, n);
	} else {
		if (unlikely(n > HB__ROW_QUICK || !row(q, exit, results, n)))
			unusual(q, exit, results, n);
		q->lane->control->inside = q->outside;
	}
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	hb__apart = apart;
	if (unlikely(hb__after_event))
		hb__after_event();
	errno = error;
}

static __attribute__((noinline)) void end_moved(const struct hb_quick *q, uint64_t exit, size_t got, size_t asked)
{
	int64_t results[] = {(int64_t)got, (int64_t)asked};
	end(q, q->lane->here->counter ? exit : hb__tick(), results, 1 + (got < asked));
}

/* What `end` does, of the most usual calls: little and straight code, of which the caches have to fetch a few lines only. All of its numbers
 * are uvs, also that of the results. */
QUICK void hb__talk_quick_moved(const struct hb_quick *q, size_t got, size_t asked)
{
	struct hb__lane *lane = q->lane;
	const struct hb_known_call *k = q->call;
	struct hb_lane_control *control = lane->control;
	uint64_t exit = tick(lane->here, true), took = exit - q->enter;
	if (unlikely(!lane->here->straight || control->polls || (took | got << 1 | asked << 1) >= SHORT)) {
		end_moved(q, exit, got, asked);
		return;
	}
	uint8_t apart = hb__apart;
	hb__apart = apart | HB__APART_OURS;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	uint8_t *w = lane->w;
	uint64_t gap = q->enter - lane->last_tick;
	if (unlikely(w + 3 * HB_UV_MAX >= lane->full || gap >= SHORT)) {
		hb__apart = apart;
		end_moved(q, exit, got, asked);
		return;
	}
	uint32_t n = 1 + (got < asked);
	uint32_t v[] = {(uint32_t)gap, (uint32_t)took, n, (uint32_t)got << 1, (uint32_t)asked << 1};
	hb_put16(w, k->row | 1);
	w += k->row_bytes;
#pragma GCC unroll 1
	for (const uint32_t *at = v; at < v + 3 + n; at++)
		w = put_short(w, *at);
	lane->last_tick = exit;
	hb__row_done(lane, control, w);
	control->inside = q->outside;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	hb__apart = apart;
}

void hb__talk_quick_end(const struct hb_quick *q, const int64_t *results, size_t n)
{
	end(q, tick(q->lane->here, q->lane->here->counter), results, n);
}

bool hb__talk_quick_no(const struct hb_quick *q, bool may_wait)
{
	const struct hb__here *here = q->lane->here;
	struct hb_lane_control *control = q->lane->control;
	if (may_wait && tick(here, here->counter) - q->enter > MOMENT)
		return false;
	control->polls++;
	control->inside = q->outside;
	if (unlikely(hb__after_event))
		hb__after_event();
	return true;
}
