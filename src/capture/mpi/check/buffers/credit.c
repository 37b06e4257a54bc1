/* What watching may cost: setting a register and, above all, each of its traps is dear, on a virtual machine a hundred times as
 * dear as a call. The first operations of a call site are looked after in any case; then as many as a share of the time allows
 * that the process has been running. */
#include "capture/mpi/check/check.h"
#include "capture/core/record/clock.h"

#define ALWAYS 16 /* operations of a call site */
#define SHARE 32  /* of the time: one part in so many */

static uint64_t spent; /* counts of the clock; a race between threads only changes how often */

void hb__credit_used(uint64_t counts) { spent += counts; }

bool hb__credit_left(uint64_t count) { return spent < (count - hb__clock.zero) / SHARE; }

bool hb__credit(const struct hb__call *c, uint32_t *seen)
{
	uint32_t n = *seen;
	if (n < ALWAYS) {
		*seen = n + 1;
		return true;
	}
	uint64_t tick = c->enter ? c->enter : hb__tick(); /* the call's begin will do: reading the clock is dear, too */
	return spent < (tick << hb__clock.shift) / SHARE;
}
