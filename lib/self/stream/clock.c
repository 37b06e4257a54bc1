/* The processor's counter, where it runs at one rate in every state and on every core; ticks become times when they are read. */
#include "../state.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

bool hb__counter;

static struct moment {
	uint64_t tick, real, mono;
} first;

/* All clocks at the same time: the closest of some tries, for the process may be interrupted between two reads. */
static struct moment moment(void)
{
	struct moment best = {0};
	uint64_t least = UINT64_MAX;
	for (int i = 0; i < 8; i++) {
		uint64_t before = hb__tick(), mono = hb__ns(CLOCK_MONOTONIC), real = hb__ns(CLOCK_REALTIME);
		uint64_t took = hb__tick() - before;
		if (took >= least)
			continue;
		least = took;
		best = (struct moment){.tick = before + took / 2, .real = real, .mono = mono};
	}
	return best;
}

void hb__clock_begin(void)
{
#if defined(__x86_64__)
	unsigned a, b, c, d;
	hb__counter = __get_cpuid(0x80000007, &a, &b, &c, &d) && d & 1u << 8;
#endif
	first = moment();
}

/* The rate comes from what has passed since the library was loaded; a stream made at once waits until that tells something. */
void hb__clock_of(struct hb_stream_head *h)
{
	struct moment now = moment();
	while (hb__counter && now.mono - first.mono < 2000000)
		now = moment();
	h->tick0 = now.tick;
	h->real0 = now.real;
	h->mono0 = now.mono;
	h->tick1 = now.tick + 1000000;
	h->mono1 = now.mono + 1000000;
	if (hb__counter) {
		uint64_t ticks = now.tick - first.tick, ns = now.mono - first.mono;
		h->tick1 = now.tick + ticks;
		h->mono1 = now.mono + ns;
	}
	struct timespec t = {0};
	clock_getres(CLOCK_REALTIME, &t);
	h->resolution = (uint64_t)t.tv_nsec ? (uint64_t)t.tv_nsec : 1;
}

/* Once more has passed than what the rate was taken from. */
void hb__clock_again(struct hb_stream_head *h)
{
	if (!hb__counter)
		return;
	struct moment now = moment();
	if (now.mono - h->mono0 <= h->mono1 - h->mono0)
		return;
	HB__STORE(h->tick1, now.tick);
	HB__STORE(h->mono1, now.mono);
}
