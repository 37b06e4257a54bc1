/* Clocks. Those of clock_gettime are kept each by itself, in nanoseconds. */
#include <errno.h>
#include <string.h>

#include "capture/inputs/front/front.h"

#define NS 1000000000

#define CLOCKS 12 /* that have a number of their own; others are those of a thread or a device */
static struct hb__sequence clocks[] = {
#define CLOCK(n, name)                                                        \
	{                                                                     \
		{"inputs:clock_gettime(" name ")", 0}, n, 1000000, HB__CLOCKS \
	}
	CLOCK(CLOCK_REALTIME, "CLOCK_REALTIME"),
	CLOCK(CLOCK_MONOTONIC, "CLOCK_MONOTONIC"),
	CLOCK(CLOCK_PROCESS_CPUTIME_ID, "CLOCK_PROCESS_CPUTIME_ID"),
	CLOCK(CLOCK_THREAD_CPUTIME_ID, "CLOCK_THREAD_CPUTIME_ID"),
	CLOCK(CLOCK_MONOTONIC_RAW, "CLOCK_MONOTONIC_RAW"),
	CLOCK(CLOCK_REALTIME_COARSE, "CLOCK_REALTIME_COARSE"),
	CLOCK(CLOCK_MONOTONIC_COARSE, "CLOCK_MONOTONIC_COARSE"),
	CLOCK(CLOCK_BOOTTIME, "CLOCK_BOOTTIME"),
	CLOCK(CLOCK_REALTIME_ALARM, "CLOCK_REALTIME_ALARM"),
	CLOCK(CLOCK_BOOTTIME_ALARM, "CLOCK_BOOTTIME_ALARM"),
	CLOCK(10, "10"),
	CLOCK(CLOCK_TAI, "CLOCK_TAI"),
	CLOCK(CLOCKS, "another clock"),
#undef CLOCK
};
static struct hb__sequence of_day = {{"inputs:gettimeofday", 0}, CLOCKS + 1, 1000, HB__CLOCKS},
			   of_time = {{"inputs:time", 0}, CLOCKS + 2, 0, HB__CLOCKS},
			   of_get = {{"inputs:timespec_get", 0}, CLOCKS + 3, 1000000, HB__CLOCKS},
			   of_clock = {{"inputs:clock", 0}, CLOCKS + 4, 1000, HB__CLOCKS},
			   of_cpu = {{"inputs:sched_getcpu", 0}, CLOCKS + 5, 0, HB__PROCESS};
_Static_assert(CLOCKS + 5 < HB__SEQUENCES, "each has a state in a thread");
_Static_assert(CLOCKS_PER_SEC == 1000000, "a millisecond of clock() is 1000");

static inline __attribute__((always_inline)) int64_t number(
	enum hb_inputs what, struct hb__sequence *s, int64_t now, const void *pc)
{
	now = likely(what == HB_INPUTS_KEEP) ? hb__sequence_keep(s, now, pc) : hb__sequence_give(s, now, pc);
	hb__door->leave();
	return now;
}

SEEN int clock_gettime(clockid_t clock, struct timespec *t)
{
	enum hb_inputs what = hb__enter(CALLER);
	int e = NEXT(clock_gettime)(clock, t);
	if (what == HB_INPUTS_PASS)
		return e;
	if (unlikely(e)) {
		hb__door->leave();
		return e;
	}
	struct hb__sequence *s = &clocks[(unsigned)clock < CLOCKS ? (unsigned)clock : CLOCKS];
	int64_t now = (int64_t)t->tv_sec * NS + t->tv_nsec, then = number(what, s, now, CALLER);
	if (then != now) {
		t->tv_sec = (time_t)(then / NS);
		t->tv_nsec = (long)(then % NS);
	}
	return 0;
}

SEEN int gettimeofday(struct timeval *restrict t, void *restrict zone)
{
	enum hb_inputs what = t ? hb__enter(CALLER) : HB_INPUTS_PASS;
	int e = NEXT(gettimeofday)(t, zone);
	if (what == HB_INPUTS_PASS)
		return e;
	int64_t then = number(what, &of_day, (int64_t)t->tv_sec * 1000000 + t->tv_usec, CALLER);
	t->tv_sec = (time_t)(then / 1000000);
	t->tv_usec = (suseconds_t)(then % 1000000);
	return e;
}

SEEN time_t time(time_t *t)
{
	enum hb_inputs what = hb__enter(CALLER);
	time_t now = NEXT(time)(NULL);
	if (what != HB_INPUTS_PASS)
		now = (time_t)number(what, &of_time, now, CALLER);
	if (t)
		*t = now;
	return now;
}

SEEN int timespec_get(struct timespec *t, int base)
{
	enum hb_inputs what = hb__enter(CALLER);
	int ret = NEXT(timespec_get)(t, base);
	if (what == HB_INPUTS_PASS)
		return ret;
	int64_t now = ret ? (int64_t)t->tv_sec * NS + t->tv_nsec : 0;
	if (ret)
		now = number(what, &of_get, now, CALLER);
	else
		hb__door->leave();
	if (ret)
		*t = (struct timespec){.tv_sec = (time_t)(now / NS), .tv_nsec = (long)(now % NS)};
	return ret;
}

SEEN clock_t clock(void)
{
	enum hb_inputs what = hb__enter(CALLER);
	clock_t now = NEXT(clock)();
	return what == HB_INPUTS_PASS ? now : (clock_t)number(what, &of_clock, now, CALLER);
}

SEEN int sched_getcpu(void)
{
	enum hb_inputs what = hb__enter(CALLER);
	int now = NEXT(sched_getcpu)();
	return what == HB_INPUTS_PASS ? now : (int)number(what, &of_cpu, now, CALLER);
}

/* ---- whole structures ---- */

/* Keeps what came, or puts what is recorded in its place. */
static int64_t whole(enum hb_inputs what, struct hb__source *source, enum hb__kind kind, int64_t result, void *p,
	size_t bytes, const void *pc)
{
	int e = errno;
	struct hb__answer a;
	if (what == HB_INPUTS_KEEP) {
		hb__keep(source, result, e, p, result < 0 ? 0 : bytes);
	} else if (hb__give(source, kind, pc, &a)) {
		result = a.result;
		e = a.error ? a.error : e;
		if (a.bytes == bytes)
			memcpy(p, a.p, bytes);
	}
	hb__door->leave();
	errno = e;
	return result;
}

SEEN clock_t times(struct tms *buffer)
{
	static struct hb__source source = {"inputs:times", 0};
	struct tms none;
	enum hb_inputs what = hb__enter(CALLER);
	clock_t now = NEXT(times)(buffer);
	if (what == HB_INPUTS_PASS)
		return now;
	return (clock_t)whole(
		what, &source, HB__CLOCKS, now, buffer ? buffer : &none, buffer ? sizeof none : 0, CALLER);
}

SEEN int getrusage(__rusage_who_t who, struct rusage *usage)
{
	static struct hb__source source = {"inputs:getrusage", 0};
	enum hb_inputs what = hb__enter(CALLER);
	int e = NEXT(getrusage)(who, usage);
	return what == HB_INPUTS_PASS ? e : (int)whole(what, &source, HB__CLOCKS, e, usage, sizeof *usage, CALLER);
}

SEEN int sysinfo(struct sysinfo *info)
{
	static struct hb__source source = {"inputs:sysinfo", 0};
	enum hb_inputs what = hb__enter(CALLER);
	int e = NEXT(sysinfo)(info);
	return what == HB_INPUTS_PASS ? e : (int)whole(what, &source, HB__PROCESS, e, info, sizeof *info, CALLER);
}

SEEN int getloadavg(double average[], int n)
{
	static struct hb__source source = {"inputs:getloadavg", 0};
	enum hb_inputs what = hb__enter(CALLER);
	int e = NEXT(getloadavg)(average, n);
	size_t bytes = e > 0 ? (size_t)e * sizeof *average : 0;
	return what == HB_INPUTS_PASS ? e : (int)whole(what, &source, HB__PROCESS, e, average, bytes, CALLER);
}
