/* The watch over a job. Nothing that moves is called hanging; what stands still is only called so when it is proven that
 * it will not go on, or when every process has done nothing but wait for a long time. */
#include "watch.h"

#define LOOK_S 0.2

/* Nobody computes: all that lives waits in calls. */
static bool all_wait(const hb_lanes *l, double seconds)
{
	size_t living = 0;
	for (size_t i = 0; i < l->n; i++) {
		const hb_process_now *p = &l->at[i];
		if (hb__is_over(p))
			continue;
		living++;
		if (!hb__only_waits(p, seconds))
			return false;
	}
	return living && l->n >= (size_t)l->size;
}

static bool hangs(hb_watch *w)
{
	double still = hb__seconds() - w->lanes.moved;
	return still >= w->patience && all_wait(&w->lanes, w->patience / 2);
}

bool hb__watch(void *user, const char *recording)
{
	hb_watch *w = user;
	double now = hb__seconds();
	if (now - w->looked < LOOK_S)
		return false;
	w->looked = now;
	if (!w->lanes.recording)
		hb__lanes_open(recording, &w->lanes);
	if (hb__lanes_look(&w->lanes)) {
		if (w->hung && !w->quiet)
			hb__say("the job goes on");
		w->hung = false;
		return false;
	}
	if (w->hung || !hangs(w))
		return false;
	w->hung = w->ever = true;
	hb__say("nothing moves any more: the job hangs");
	return w->then == HB_ON_HANG_KILL;
}

void hb__watch_close(hb_watch *w) { hb__lanes_close(&w->lanes); }
