/* What a process is doing between its stops: the lane controls of its log are in a shared mapping. */
#include <stdio.h>
#include <time.h>

#include "base/clock.h"
#include "base/task.h"
#include "session/internal.h"

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
		bool other = t->inside != (c->inside != 0);
		changed |= other;
		if (other || t->event != c->events)
			t->since = p->p.seen;
		else if (t->polls != c->polls)
			t->polled = p->p.seen;
		t->polls = c->polls;
		t->task = c->task;
		t->inside = c->inside && !t->held;
		t->slot = c->inside ? (uint32_t)(c->inside - 1) : 0;
		t->event = c->events;
		if (p->p.here && t->asked && !t->held && !t->inside && !t->gone && c->lane)
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
