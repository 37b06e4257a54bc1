/* The watch over a job. Nothing that moves is called hanging; what stands still is only called so when it is proven that
 * it will not go on, or when every process has done nothing but wait for a long time. */
#include "watch.h"

#include <stdlib.h>

#include "base/clock.h"
#include "../show/source.h"

#define LOOK_S 0.2
#define STILL_S 0.7 /* without a step: worth a question */
#define AGAIN_S 1.2 /* ... and an answer is believed when it still is so */
#define SHARE 30 /* the question takes at most one part in so many of the time, but before patience ends it is asked */
#define GONE_S 3 /* a launcher has so long to notice that its processes have gone */
#define ASK_WAIT 3 /* patience is so many times longer while somebody asks again and again: he may stop */
/* Patience is so many times longer when somebody could go on, by all that is known: the library may be at work for long, with a
 * file, with a hundred thousand requests. */
#define SOME_WAIT 4

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

static bool anybody_asks(const hb_lanes *l)
{
	for (size_t i = 0; i < l->n; i++)
		for (size_t k = 0; !hb__is_over(&l->at[i]) && k < l->at[i].nlanes; k++)
			if (!l->at[i].lane[k].is.inside && !l->at[i].lane[k].asleep)
				return true;
	return false;
}

static size_t living(const hb_lanes *l)
{
	size_t n = 0;
	for (size_t i = 0; i < l->n; i++)
		n += !hb__is_over(&l->at[i]);
	return n;
}

static bool anybody_inside(const hb_lanes *l)
{
	for (size_t i = 0; i < l->n; i++)
		for (size_t k = 0; !hb__is_over(&l->at[i]) && k < l->at[i].nlanes; k++)
			if (l->at[i].lane[k].is.inside || l->at[i].lane[k].asked > 0)
				return true;
	return false;
}

/* Since when all that is known stands still. */
static double since(const hb_lanes *l) { return l->slept > l->moved ? l->slept : l->moved; }

/* Asks the rule once per standstill. */
static void ask(hb_watch *w, double now, double still)
{
	const hb_lanes *l = &w->lanes;
	bool dear = still < w->cost * SHARE && still < w->patience;
	if (w->asked == since(l) || still < STILL_S || dear || !anybody_inside(l))
		return;
	w->asked = since(l);
	w->stuck = hb__ask_deadlock(l);
	w->cost = hb_seconds() - now;
}

hb_moving hb__watch_look(hb_watch *w, const char *recording)
{
	double now = hb_seconds();
	w->looked = now;
	if (!w->lanes.recording)
		hb__lanes_open(recording, &w->lanes);
	if (hb__lanes_look(&w->lanes))
		return HB_MOVES;
	const hb_lanes *l = &w->lanes;
	double still = now - l->moved;
	if (!living(l))
		return HB_NOBODY;
	if (still < STILL_S)
		return HB_MOVES;
	hb__threads_look(&w->lanes);
	ask(w, now, still);
	bool known = w->asked == since(l) && still >= AGAIN_S;
	if (known && w->stuck == HB_STUCK_ALL)
		return HB_HANGS;
	bool wait = all_wait(l, w->patience / 2);
	/* others still compute: what they do is not lost */
	if (known && w->stuck == HB_STUCK_SOME && (wait || still >= w->patience || w->then != HB_ON_HANG_KILL))
		return HB_HANGS;
	if (!wait)
		return HB_COMPUTES;
	/* after an erroneous argument a library is hardly at work on what the program meant */
	bool unsure = w->asked == since(l) && w->stuck == HB_STUCK_NOT && !w->faults.seen;
	return still >= w->patience * (anybody_asks(l) ? ASK_WAIT : unsure ? SOME_WAIT : 1) ? HB_HANGS : HB_WAITS;
}

/* Some launchers do not notice that all their processes have died at once. */
static bool left_behind(hb_watch *w, bool launched)
{
	const hb_lanes *l = &w->lanes;
	if (!launched || !l->n || l->n < (size_t)l->size || l->elsewhere)
		return false;
	for (size_t i = 0; i < l->n; i++)
		if (!l->at[i].gone)
			return false;
	if (hb_seconds() - l->moved < GONE_S)
		return false;
	if (!w->left)
		hb__say("all processes have ended, but the launcher has not noticed: hbdb ends it");
	return w->left = true;
}

static void say(hb_watch *w)
{
	if (w->lanes.elsewhere)
		hb__say("%u %s on other machines: only what their logs say is known of them", w->lanes.elsewhere,
			hb__plural(w->lanes.elsewhere, "process is", "processes are"));
	if (!w->quiet)
		hb__put_verdict(w, stderr);
	if (w->then == HB_ON_HANG_STACKS)
		hb__put_stacks(&w->lanes, stderr);
	hb__say(w->then == HB_ON_HANG_KILL ? "the job hangs: hbdb ends it"
					   : "the job hangs; it is left running, as it is");
}

/* Nobody asked for hangs. */
static bool tell_only(hb_watch *w, const char *recording)
{
	w->looked = hb_seconds();
	if (!w->lanes.recording)
		hb__lanes_open(recording, &w->lanes);
	hb__lanes_look(&w->lanes);
	hb__tell_faults(w);
	return false;
}

bool hb__watch(void *user, const char *recording, bool launched)
{
	hb_watch *w = user;
	if (hb_seconds() - w->looked < LOOK_S)
		return false;
	if (w->patience <= 0)
		return tell_only(w, recording);
	hb_moving m = hb__watch_look(w, recording);
	hb__tell_faults(w);
	if (m == HB_NOBODY)
		return left_behind(w, launched);
	if (m == HB_MOVES && w->hung) {
		if (!w->lanes.ending)
			hb__say("the job goes on");
		w->hung = false;
	}
	if (m != HB_HANGS || w->hung)
		return false;
	w->hung = w->ever = true;
	say(w);
	return w->then == HB_ON_HANG_KILL;
}

void hb__watch_close(hb_watch *w)
{
	hb__lanes_close(&w->lanes);
	free(w->faults.print);
	w->faults = (struct hb_faults){0};
}
