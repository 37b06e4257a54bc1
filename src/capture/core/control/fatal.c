/* The session is told of a signal that is about to end the process, and may look with gdb until it lets go. */
#include "capture/core/fatal.h"
#include "capture/core/control/control.h"

static void tell_session(int sig, struct hb__lane *lane)
{
	static int dying;
	uint16_t number = lane ? lane->number : 0;
	if (!hb__controlled || __atomic_exchange_n(&dying, 1, __ATOMIC_RELAXED))
		return;
	uint64_t goes = hb__dial_goes(number);
	hb__dial_say("signal %d %u %llu", sig, number, lane ? (unsigned long long)lane->control->events : 0ull);
	while (hb__dial_goes(number) == goes && hb__dial_take(20))
		;
}

void hb__fatal_start(void) { hb__fatal_tell(tell_session); }
