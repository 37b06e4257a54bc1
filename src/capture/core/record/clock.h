/* The clock of the rows: the processor's, where it runs at one rate in every
 * state and on every core, else the system's. */
#ifndef HBDB_CAPTURE_RECORD_CLOCK_H
#define HBDB_CAPTURE_RECORD_CLOCK_H

#include <stdint.h>
#include <time.h>

#if defined(__x86_64__)
#include <cpuid.h>
#include <x86intrin.h>
#endif

struct hb__clock {
	bool counter; /* the processor's counter is usable */
	bool stands;  /* it has no time: the process is to be in the same state each time it comes to the same place */
	unsigned shift; /* one tick is 2^shift counts: no finer than a clock read takes */
	uint64_t zero;  /* count at tick 0 */
	uint64_t mono_zero, real_zero;
};
extern struct hb__clock hb__clock __attribute__((visibility("hidden")));

static inline uint64_t hb__system_ns(clockid_t id)
{
	struct timespec t;
	clock_gettime(id, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static inline uint64_t hb__count(void)
{
#if defined(__x86_64__)
	if (__builtin_expect(hb__clock.counter, 1))
		return __rdtsc();
#endif
	if (hb__clock.stands)
		return 0;
	return hb__system_ns(CLOCK_MONOTONIC);
}

/* The same where the counter is known to be usable. */
static inline uint64_t hb__counter_tick(void)
{
#if defined(__x86_64__)
	return (__rdtsc() - hb__clock.zero) >> hb__clock.shift;
#else
	__builtin_unreachable(); /* there is no counter */
#endif
}

/* Both clocks at the same time. A process may be interrupted between two reads, so the closest of some tries counts. Returns the system's. */
static inline uint64_t hb__both_clocks(uint64_t *ret_count)
{
	uint64_t mono = 0, least = UINT64_MAX;
	*ret_count = 0;
	for (int i = 0; i < 8; i++) {
		uint64_t before = hb__count(), now = hb__system_ns(CLOCK_MONOTONIC), took = hb__count() - before;
		if (took >= least)
			continue;
		least = took;
		mono = now;
		*ret_count = before + took / 2;
	}
	return mono;
}

static inline uint64_t hb__tick(void) { return (hb__count() - hb__clock.zero) >> hb__clock.shift; }

#endif
