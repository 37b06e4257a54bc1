/* What a process is doing between its stops: the lane controls of its log are in a shared mapping. And what follows from that: who has
 * arrived where it was to, who is blocked on the way, who is still under way. */
#include <stdio.h>
#include <time.h>

#include "base/clock.h"
#include "base/task.h"
#include "session/internal.h"

#define STILL_S 0.5     /* inside a call for so long without a step: blocked, when nobody else moves */
#define ABSENT_S 3      /* nobody has moved for so long: one that has not come may not have been made */
#define EXPECTED_S 0.05 /* the same where the cut says that it blocks there */

/* What is older than the last that was heard of the process, or that it was told, is not taken: it would say what was before. */
static bool look(const hb_session *s, struct hb__process *p, bool now)
{
	char path[4300];
	double when = hb_seconds();
	if (s->nodes && s->nodes->lanes) {
		if (!s->nodes->lanes(s->nodes->user, p->p.host, p->p.log, now, &p->log, &when) || when < p->moved)
			return false;
	} else {
		snprintf(path, sizeof path, "%s/%s", s->logs, p->p.log);
		if (hb_growing_look(&p->log, path, NULL)) /* not there yet: the next look finds it */
			return false;
	}
	p->p.seen = when;
	return true;
}

static void read_lanes_of(hb_session *s, struct hb__process *p, bool now)
{
	uint64_t steps = 0;
	bool changed = false;
	if (!s->logs || (!p->p.here && !p->place) || !look(s, p, now))
		return;
	for (size_t i = 0; i < p->log.nlanes; i++) {
		const hb_counters *c = &p->log.lane[i];
		hb_thread *t = hb__thread_of(p, c->lane);
		if (!t)
			continue;
		t->lane_known = true;
		steps += c->events + c->polls;
		bool inside =
			c->inside &&
			!t->held; /* one that is held at the end of its record stands in a call that it has begun */
		bool other = t->inside != inside;
		changed |= other;
		if (other || t->event != c->events)
			t->since = p->p.seen;
		else if (t->polls != c->polls)
			t->polled = p->p.seen;
		t->polls = c->polls;
		t->task = c->task;
		t->inside = inside;
		t->slot = c->inside ? (uint32_t)(c->inside - 1) : 0;
		t->event = c->events;
		if (p->p.here && hb_thread_is_awaited(t) && !t->held && !t->inside && !t->gone && c->lane)
			t->gone = c->task && !hb_task_exists(p->p.pid, c->task);
	}
	if (steps != p->steps || changed) {
		p->steps = steps;
		p->moved = p->p.seen;
		hb__changed(s, p);
	}
}

void hb__read_lanes_of(hb_session *s, struct hb__process *p) { read_lanes_of(s, p, true); }

void hb__read_lanes(hb_session *s)
{
	for (int32_t i = 0; s->logs && i < s->size; i++) {
		struct hb__process *p = &s->process[i];
		if ((p->p.here || p->place) &&
			(p->p.life == HB_LIFE_RUNNING || p->p.life == HB_LIFE_HELD || p->p.life == HB_LIFE_BROKEN))
			read_lanes_of(s, p, false);
	}
}

/* A process that has ended keeps its status until its parent has asked for it: a moment in which it can be read. The
 * connection ends before that. */
int hb__died_of(int32_t pid)
{
	hb_task task;
	for (int i = 0; i < 200 && hb_task_read(pid, 0, &task); i++) {
		if (task.state == 'Z' || task.state == 'X')
			return task.ended_by;
		nanosleep(&(struct timespec){0, 100000}, NULL);
	}
	return 0;
}

/* ---- arriving ---- */

bool hb__blocks_there(const hb_thread *t) { return t->asked && t->stop_inside && t->inside && t->event == t->stop; }

/* For how long it has not moved, as far as that is known: not until now where its machine has not answered since. */
static double still_for(const struct hb__process *p) { return (p->p.seen > 0 ? p->p.seen : hb_seconds()) - p->moved; }

static bool blocks_as_expected(const struct hb__process *p, const hb_thread *t)
{
	return hb__blocks_there(t) && still_for(p) >= EXPECTED_S;
}

/* Threads besides the first count while they are to stop somewhere, or are known to have more to do: one that has no more calls to make
 * cannot be told from one that computes. */
static bool counts(const hb_thread *t, uint32_t lane)
{
	return t->lane_known && !t->gone && (!lane || hb_thread_is_awaited(t));
}

/* A thread that is still to make its first call, unless who starts it stands. */
static bool to_be_started(const struct hb__process *p, const hb_thread *t, double still)
{
	return hb_thread_is_awaited(t) && !t->lane_known && still_for(p) < still;
}

/* A thread that is over its last event and in no call: it computes, or waits for threads that it started. */
static bool rests(const struct hb__process *p, const hb_thread *t, double still)
{
	return t->asked && t->stop_next && !t->inside && t->event == t->stop && still_for(p) >= still;
}

/* Whether a thread of it runs: what is known of one that stands, or has ended, holds until now, whenever it was looked at last. */
static bool runs(const struct hb__process *p)
{
	if (p->p.life == HB_LIFE_RUNNING)
		return true;
	for (uint32_t i = 0; i < p->p.nthreads && p->p.life == HB_LIFE_HELD; i++)
		if (!p->p.threads[i].held && !p->p.threads[i].gone)
			return true;
	return false;
}

/* For how long nobody has moved: what one that is inside a call waits for may have been done this moment. */
static double quiet_for(const hb_session *s)
{
	double quiet = 0;
	for (int32_t i = 0; i < s->size; i++) {
		const struct hb__process *p = &s->process[i];
		double still = runs(p) ? still_for(p) : hb_seconds() - p->moved;
		quiet = i && quiet < still ? quiet : still;
	}
	return quiet;
}

/* Whether it cannot move by itself: stands, has ended, or is inside a call while nobody has moved for a while. */
static bool stands_still(const struct hb__process *p, double still, double quiet)
{
	if (p->adopted && p->p.life == HB_LIFE_RUNNING)
		return false;
	switch (p->p.life) {
	case HB_LIFE_HELD:
	case HB_LIFE_RUNNING:
		for (uint32_t i = 0; i < p->p.nthreads; i++) {
			const hb_thread *t = &p->p.threads[i];
			bool waits = (t->inside || t->hold == HB_HOLD_CALLS) && quiet >= still;
			if (counts(t, i) && !t->held && t->hold != HB_HOLD_STANDS && !blocks_as_expected(p, t) &&
				!rests(p, t, still) && !waits)
				return false;
			if (to_be_started(p, t, still))
				return false;
		}
		return true;
	case HB_LIFE_ABSENT:
		return false;
	default:
		return true;
	}
}

/* Nothing of it is needed where the others are to stand, and none of these has moved for a while: who is to make it may stand before that. Ranks are made all the
 * same. */
static bool is_not_needed(const hb_session *s, const struct hb__process *p)
{
	const hb_thread *t = p->p.nthreads ? &p->p.threads[0] : NULL;
	double moved = 0;
	for (int32_t i = 0; i < s->size; i++)
		moved = s->process[i].moved > moved ? s->process[i].moved : moved;
	return t && t->asked && !t->stop && !t->stop_inside && !*hb_rank_word(p->p.name) && moved > 0 &&
	       hb_seconds() - moved > ABSENT_S;
}

static bool has_arrived(const struct hb__process *p)
{
	if (p->p.life != HB_LIFE_HELD && p->p.life != HB_LIFE_RUNNING)
		return p->p.life != HB_LIFE_ABSENT;
	if (p->adopted)
		return false; /* what it is inside of nobody knows */
	for (uint32_t i = 0; i < p->p.nthreads; i++) {
		const hb_thread *t = &p->p.threads[i];
		if (counts(t, i) && !t->held && !blocks_as_expected(p, t) && !rests(p, t, STILL_S))
			return false;
		if (to_be_started(p, t, STILL_S))
			return false;
	}
	return true;
}

/* It has arrived but for threads that are held back. */
static bool is_held_back(const struct hb__process *p)
{
	bool any = false;
	if (p->p.life != HB_LIFE_HELD && p->p.life != HB_LIFE_RUNNING)
		return false;
	for (uint32_t i = 0; i < p->p.nthreads; i++) {
		const hb_thread *t = &p->p.threads[i];
		any |= t->hold == HB_HOLD_STANDS;
		if (counts(t, i) && !t->held && t->hold != HB_HOLD_STANDS && !blocks_as_expected(p, t) &&
			!rests(p, t, STILL_S))
			return false;
	}
	return any;
}

static hb_arrival arrival(hb_session *s, int32_t rank, double still)
{
	const struct hb__process *p = &s->process[rank];
	if (has_arrived(p) || (p->p.life == HB_LIFE_ABSENT && is_not_needed(s, p)))
		return HB_ARRIVED;
	if (is_held_back(&s->process[rank]))
		return HB_BLOCKED;
	double quiet = quiet_for(s);
	for (int32_t i = 0; i < s->size; i++)
		if (!stands_still(&s->process[i], still, quiet))
			return HB_UNDERWAY;
	return HB_BLOCKED;
}

hb_arrival hb_session_arrival(hb_session *s, int32_t rank)
{
	return hb__process_of(s, rank) ? arrival(s, rank, STILL_S) : HB_UNDERWAY;
}

static bool all_there(hb_session *s, const hb_set *set, double still)
{
	if (!s->size)
		return false;
	for (int32_t i = hb_set_next(set, 0); i >= 0 && i < s->size; i = hb_set_next(set, i + 1))
		if (arrival(s, i, still) == HB_UNDERWAY)
			return false;
	return true;
}

bool hb_session_wait(
	hb_session *s, const hb_set *set, double seconds, double still, bool (*interrupted)(void *), void *user)
{
	double end = hb_seconds() + seconds;
	still = still > 0 ? still : STILL_S;
	for (;;) {
		hb_session_poll(s, 0);
		if (all_there(s, set, still))
			return true;
		if ((seconds >= 0 && hb_seconds() >= end) || (interrupted && interrupted(user)))
			return false;
		hb_session_poll(s, 20);
	}
}
