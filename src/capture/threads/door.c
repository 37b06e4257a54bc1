/* The recorder's side of the layer of threads, for libhbdb-threads.so. */
#include "capture/core/layer.h"
#include "capture/threads/actor.h"

static void opened(void)
{
	static const struct hb__ordering ordering = {.comes = hb__actor_beside,
		.posts = hb__posts,
		.posts_again = hb__posts_again,
		.is_ahead = hb__post_is_ahead,
		.posted_again = hb__posted_again};
	hb__ordering = &ordering;
}

extern const struct hb_threads_door hb_threads_door_1;
const struct hb_threads_door hb_threads_door_1 = {.opened = opened,
	.enter = hb__actor_enter,
	.takes = hb__takes,
	.frees = hb__frees,
	.took = hb__took,
	.gives = hb__gives,
	.unlocks = hb__unlocks,
	.told = hb__told,
	.answered = hb__answered,
	.follows = hb__follows,
	.awaits = hb__awaits,
	.expect = hb__expect,
	.done = hb__done};
