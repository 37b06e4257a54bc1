/* The recorder's side of the layer of threads, for libhbdb-threads.so. */
#include "capture/threads/actor.h"

extern const struct hb_threads_door hb_threads_door_1;
const struct hb_threads_door hb_threads_door_1 = {.enter = hb__actor_enter,
	.took = hb__took,
	.gives = hb__gives,
	.unlocks = hb__unlocks,
	.told = hb__told,
	.answered = hb__answered,
	.follows = hb__follows,
	.awaits = hb__awaits,
	.expect = hb__expect,
	.done = hb__done};
