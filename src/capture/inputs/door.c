/* The recorder's side of the layer of inputs: whose call it is, and what becomes of it. */
#include <sys/syscall.h>
#include <unistd.h>

#include "capture/core/follow/follow.h"
#include "capture/core/layer.h"
#include "capture/core/record/record.h"
#include "capture/inputs/door.h"
#include "capture/inputs/start.h"

/* ---- the door ---- */

static enum hb_inputs mode(void)
{
	if (hb__config.mode == HB__REPLAY)
		return hb__inputs_give() ? HB_INPUTS_GIVE : HB_INPUTS_PASS;
	return hb__data_keeps ? HB_INPUTS_KEEP : HB_INPUTS_PASS;
}

/* Of this thread, behind this event. */
static __thread uint64_t calls __attribute__((tls_model("initial-exec")));
static __thread uint64_t calls_behind __attribute__((tls_model("initial-exec")));
static void (*due)(void);

static inline void count(const struct hb__lane *lane)
{
	uint64_t now = lane ? lane->control->events : 0;
	calls = now == calls_behind ? calls + 1 : 1;
	calls_behind = now;
}

static inline bool is_handler(uint8_t apart) { return (apart & ~HB__APART_WITHIN) == HB__APART_HANDLER; }

/* A thread that was made past us (jemalloc's) has no name of its own, by which what comes into it could be found again. */
static __attribute__((noinline)) bool is_stranger(void)
{
	static __thread enum { NOT_YET, NO, YES } is __attribute__((tls_model("initial-exec")));
	if (unlikely(is == NOT_YET))
		is = hb__thread_identity() || syscall(SYS_gettid) == syscall(SYS_getpid) ? NO : YES;
	return is == YES;
}

/* Without MPI what stands below it is the program's (libevent, whose clock its timers go by). */
static inline bool brings_inputs(const void *pc)
{
	unsigned who = hb__of_program(pc);
	return likely(who & HB__BRINGS_INPUTS) || (who & HB__TALKS_WITHOUT_MPI && !hb__layers_present());
}

static enum hb_inputs enter(const void *pc)
{
	const struct hb__lane *lane = likely(hb__self != NULL) ? hb__self : hb__lane_so_far();
	uint8_t apart = hb__apart;
	/* a handler is the program's wherever it runs */
	if (unlikely(apart || (lane && lane->depth)) && !is_handler(apart))
		return HB_INPUTS_PASS;
	bool keeps = hb__data_keeps;
	if (!keeps && hb__config.mode != HB__REPLAY)
		return HB_INPUTS_PASS;
	hb__apart = apart | HB__APART_OURS;
	if (brings_inputs(pc) && (keeps || mode() == HB_INPUTS_GIVE) && (lane || !is_stranger())) {
		if (likely(!apart))
			count(lane);
		return keeps ? HB_INPUTS_KEEP : HB_INPUTS_GIVE;
	}
	hb__apart = apart;
	return HB_INPUTS_PASS;
}

static void leave(void)
{
	hb__apart &= (uint8_t)~HB__APART_OURS;
	if (unlikely(due && !hb__apart))
		due();
}

static void outside(void) { hb__apart &= (uint8_t)~HB__APART_OURS; }

static void again(void) { hb__apart |= HB__APART_OURS; }

/* ---- handlers of signals ---- */

static bool handler_begins(uint8_t *ret_before)
{
	*ret_before = hb__apart;
	if (hb__apart & HB__APART_HANDLER)
		return is_handler(hb__apart);
	if (hb__config.mode == HB__REPLAY ? !hb__give_aside(true) : !hb__data_aside(true))
		return false;
	hb__apart = HB__APART_HANDLER | (*ret_before & HB__APART_OURS ? HB__APART_WITHIN : 0);
	return true;
}

static void handler_ends(uint8_t before)
{
	if (before & HB__APART_HANDLER)
		return;
	if (hb__config.mode == HB__REPLAY)
		hb__give_aside(false);
	else
		hb__data_aside(false);
	hb__apart = before;
}

static bool inside(void)
{
	const struct hb__lane *lane = hb__lane_so_far();
	return lane && (lane->depth || lane->control->inside);
}

/* This thread is in a call that is an event and has just begun: a signal that came in it comes here again. */
static __thread bool begun __attribute__((tls_model("initial-exec")));

static uint64_t calls_so_far(void)
{
	const struct hb__lane *lane = hb__lane_so_far();
	return ((lane ? lane->control->events : 0) == calls_behind ? calls : 0) + begun;
}

/* Polls that say no count, too: a handler may end the loop that they are in. */
static void call_over(void)
{
	if (hb__apart)
		return;
	count(hb__lane_so_far());
	if (due)
		due();
}

static void others(void)
{
	if (begun)
		hb__follow_await_others(hb__self);
}

/* What its handler calls stands before the call that it came in. */
static void call_begun(void)
{
	if (hb__apart || begun)
		return;
	begun = true;
	due();
	begun = false;
}

static void after(void (*f)(void))
{
	due = f;
	hb__after_event = call_over;
	hb__here_unusual(); /* the quick ways know nothing of it yet */
	hb__inside_call = f ? call_begun : NULL;
}

/* A child that it forked is there, and what it tells itself. */
static bool alone_without(bool sockets) { return hb__alone && sockets; }

static uint64_t event(void)
{
	if (unlikely(hb__apart & HB__APART_HANDLER))
		return UINT64_MAX;
	const struct hb__lane *lane = likely(hb__self != NULL) ? hb__self : hb__lane_so_far();
	if (likely(lane != NULL))
		return lane->control->events;
	return hb__began() && !hb__active ? UINT64_MAX : 0;
}

static void differs(const void *pc, const char *what)
{
	hb__looked(HB__INPUTS_OTHER, 1);
	hb__report_input(hb__self, pc, what);
}

static void given(void) { hb__looked(HB__INPUTS_GIVEN, 1); }

static const char *folder(void) { return hb__config.dir; }

HB__EXPORT const struct hb_inputs_door hb_inputs_door_1 = {.enter = enter,
	.leave = leave,
	.outside = outside,
	.again = again,
	.mode = mode,
	.alone_without = alone_without,
	.event = event,
	.handler_begins = handler_begins,
	.handler_ends = handler_ends,
	.others = others,
	.calls = calls_so_far,
	.inside = inside,
	.after = after,
	.call = hb__data_call,
	.piece = hb__data_piece,
	.number = hb__data_number,
	.end = hb__data_end,
	.room = hb__data_room,
	.packed = hb__data_packed,
	.add = hb__data_add,
	.adds = hb__data_adds,
	.next = hb__data_next,
	.peek = hb__data_peek,
	.item_piece = hb__item_piece,
	.piece_number = hb__piece_number,
	.start = hb__inputs_start,
	.real_folder = hb__inputs_folder,
	.is_from_start = hb__inputs_from_start,
	.pages = hb__pages,
	.say = hb__say,
	.differs = differs,
	.given = given,
	.folder = folder};
