/* Threads that wait for one that stands. A program may wait in its own code, where no call tells for whom: for a message of its own
 * in a ring or a queue, for a lock. Two things tell it all the same: in a replay the recording, which says what the thread's next call
 * needed; and the system, where the thread sleeps until another one of its process wakes it. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/grow.h"
#include "base/task.h"
#include "../run/events.h"
#include "parts.h"

#define LOOK_S 0.1
#define STILL_S 0.35 /* what has not got further for so long is asked about */
#define POLLED_S 1.0 /* who was told no within so long polls */
#define SLOWER 2.0   /* a replay may be than the recording */

/* What is known of a thread from the looks before. */
struct hb_look_back {
	int32_t rank;
	uint32_t lane;
	uint64_t ran; /* hb_sleep */
	double since;
	hb_at at; /* the event whose cut this is */
	uint32_t *event;
};

void hb__live_free_waits(hb_live *l)
{
	for (size_t i = 0; i < l->nlooks; i++)
		free(l->look[i].event);
	free(l->look);
	free(l->waits);
	hb__facts_close(l->facts);
	l->facts = NULL;
	l->look = NULL;
	l->waits = NULL;
	l->nlooks = l->look_room = l->nwaits = l->wait_room = 0;
}

static struct hb_look_back *look_of(hb_live *l, int32_t rank, uint32_t lane)
{
	for (size_t i = 0; i < l->nlooks; i++)
		if (l->look[i].rank == rank && l->look[i].lane == lane)
			return &l->look[i];
	if (!HB_GROW(l->look, l->look_room, l->nlooks + 1))
		return NULL;
	l->look[l->nlooks] = (struct hb_look_back){.rank = rank, .lane = lane, .at.line = HB_NO};
	return &l->look[l->nlooks++];
}

/* Seconds (hb_seconds): when its threads did what is known of them. */
static double as_of(const hb_proc *p) { return p->seen > 0 ? p->seen : hb_seconds(); }

static bool stands(const hb_proc *p, uint32_t lane)
{
	switch (p->life) {
	case HB_LIFE_BROKEN:
	case HB_LIFE_EXITED:
	case HB_LIFE_DEAD:
		return true;
	default:
		return lane < p->nthreads && p->threads[lane].held;
	}
}

/* ---- by the recording ---- */

static uint32_t line_of(hb_live *l, int32_t rank, uint32_t lane)
{
	uint32_t i = hb__live_process(l, rank);
	const hb_process *p = i == HB_NO ? NULL : &hb_model_processes(l->run->model)[i];
	return p && lane < p->nlines ? p->first_line + lane : HB_NO;
}

static bool find_cut(hb_live *l, struct hb_look_back *b, hb_at at)
{
	uint32_t lines = hb_model_get_info(l->run->model)->lines;
	if (b->at.line == at.line && b->at.event == at.event)
		return true;
	hb_stop *stop = hb__alloc((lines + 1) * sizeof *stop);
	b->event = hb__resize(b->event, (lines + 1) * sizeof *b->event);
	bool found = !hb_cut(l->run->model, at, b->event, stop, NULL);
	b->at = found ? at : (hb_at){.line = HB_NO};
	free(stop);
	return found;
}

/* A thread that computes may yet meet a breakpoint, or the end of a step: only where it waits before its event begins is it to be
 * called held back. So it is with messages of the program's own, and with who polls; an ordinary call waits inside. Nor before it has had the time that it
 * took there when it was recorded. */
static bool waits_before(hb_live *l, hb_at next, const hb_thread *t, double now)
{
	const hb_model *m = l->run->model;
	const hb_log *log = hb_model_processes(m)[hb_model_lines(m)[next.line].process].log;
	hb_fact before, fact;
	l->facts = l->facts ? l->facts : hb__facts_open(m);
	if (!log || !hb__fact(l->facts, next, &fact))
		return false;
	const hb_function *f = hb_log_function(log, fact.function);
	double took = 0;
	if (next.event > 1 && hb__fact(l->facts, (hb_at){next.line, next.event - 1}, &before) &&
		fact.enter > before.exit)
		took = (double)(fact.enter - before.exit) * hb_log_get_info(log)->tick_ns * 1e-9;
	bool polls = t->polled > 0 && now - t->polled < POLLED_S;
	return f && (f->cls == HB_USER_RECEIVED || polls) && now - t->since >= STILL_S + SLOWER * took;
}

/* Whether the next event of a thread needs an event of another one that has not begun it, and stands. */
static bool needs_who_stands(hb_live *l, struct hb_look_back *b, const hb_thread *t, double now, hb_waits *ret)
{
	const hb_model *m = l->run->model;
	const hb_line *lines = hb_model_lines(m);
	hb_at at = {line_of(l, b->rank, b->lane), (uint32_t)t->event + 1};
	if (at.line == HB_NO || t->event >= lines[at.line].events || !waits_before(l, at, t, now) ||
		!find_cut(l, b, at))
		return false;
	*ret = (hb_waits){.rank = b->rank, .lane = b->lane, .next = at, .needs.line = HB_NO};
	for (uint32_t i = 0; i < hb_model_get_info(m)->lines; i++) {
		const hb_proc *p = hb_session_proc(l->session, hb__live_number(l, lines[i].process));
		const hb_thread *other = p && lines[i].lane < p->nthreads ? &p->threads[lines[i].lane] : NULL;
		uint64_t entered = other ? other->event + other->inside : 0;
		if (i == at.line || !p || b->event[i] <= entered || !stands(p, lines[i].lane))
			continue;
		if (ret->needs.line == HB_NO) {
			ret->needs = (hb_at){i, b->event[i]};
			ret->by = p->rank;
			ret->by_lane = lines[i].lane;
			ret->missing = b->event[i] - entered;
		}
		ret->others += ret->by != p->rank;
	}
	return ret->needs.line != HB_NO;
}

/* ---- by the system ---- */

static bool is_lane(const hb_proc *p, uint64_t task)
{
	for (uint32_t i = 0; i < p->nthreads; i++)
		if (p->threads[i].task == task)
			return true;
	return false;
}

/* Threads without events: one of a library waits for files, one of the program may be what wakes the others. */
static bool others_sleep(const hb_proc *p)
{
	char path[64];
	bool sleep = true;
	snprintf(path, sizeof path, "/proc/%d/task", p->pid);
	DIR *all = opendir(path);
	for (struct dirent *d; all && sleep && (d = readdir(all));) {
		hb_sleep s;
		uint64_t task = strtoull(d->d_name, NULL, 10);
		if (task && !is_lane(p, task))
			sleep = hb_task_sleeps(p->pid, task, &s) && (s.futex || s.polls);
	}
	if (all)
		closedir(all);
	return all && sleep;
}

/* Whether a thread does not move by itself: it sleeps, too, or has been inside a call for a while. */
static bool waits(const hb_proc *p, const hb_thread *t, bool *ret_calls)
{
	hb_sleep s;
	bool inside = t->inside && as_of(p) - t->since >= STILL_S;
	*ret_calls |= inside;
	return inside || !t->lane_known || !hb_task_exists(p->pid, t->task) ||
	       (hb_task_sleeps(p->pid, t->task, &s) && s.futex);
}

/* A thread that sleeps for others of its process. They sleep, too, and one at least is held; or some are inside calls, and none moves by
 * itself. */
static hb_hold sleeps_for(const hb_proc *p, struct hb_look_back *b, hb_waits *ret)
{
	hb_sleep mine;
	bool held = false, calls = false;
	if (!p->here || !hb_task_sleeps(p->pid, p->threads[b->lane].task, &mine) || !mine.futex)
		return HB_HOLD_NONE;
	if (b->ran != mine.ran) {
		b->ran = mine.ran;
		b->since = hb_seconds();
	}
	if (hb_seconds() - b->since < STILL_S)
		return HB_HOLD_NONE;
	*ret = (hb_waits){.rank = b->rank, .lane = b->lane, .next.line = HB_NO, .needs.line = HB_NO};
	for (uint32_t i = 0; i < p->nthreads; i++) {
		const hb_thread *t = &p->threads[i];
		if (t->held && (!held || (mine.joins && mine.joins == t->task))) {
			held = true;
			ret->by = b->rank;
			ret->by_lane = i;
		} else if (!t->held && i != b->lane && !waits(p, t, &calls)) {
			return HB_HOLD_NONE;
		}
	}
	ret->joins = held && mine.joins && mine.joins == p->threads[ret->by_lane].task;
	if ((!held && !calls) || !others_sleep(p))
		return HB_HOLD_NONE;
	return calls ? HB_HOLD_CALLS : HB_HOLD_STANDS;
}

/* ---- all of them ---- */

static bool is_asked(const hb_thread *t, uint32_t lane, double now)
{
	return t->lane_known && !t->gone && !t->held && !t->inside && (!lane || hb_thread_is_awaited(t)) &&
	       now - t->since >= STILL_S;
}

static void look_at(hb_live *l, const hb_proc *p)
{
	for (uint32_t k = 0; k < p->nthreads; k++) {
		const hb_thread *t = &p->threads[k];
		struct hb_look_back *b = is_asked(t, k, as_of(p)) ? look_of(l, p->rank, k) : NULL;
		hb_waits w;
		bool knows = b && l->replay && l->run && l->run->model && needs_who_stands(l, b, t, as_of(p), &w);
		hb_hold hold = knows ? HB_HOLD_STANDS : b ? sleeps_for(p, b, &w) : HB_HOLD_NONE;
		if (hold == HB_HOLD_STANDS && HB_GROW(l->waits, l->wait_room, l->nwaits + 1))
			l->waits[l->nwaits++] = w;
		hb_session_hold_back(l->session, p->rank, k, hold);
	}
}

void hb__live_look_at_waits(hb_live *l)
{
	double now = hb_seconds();
	if (!l->look_for_waits || now - l->looked < LOOK_S)
		return;
	l->looked = now;
	l->nwaits = 0;
	for (int32_t i = 0; i < hb_session_size(l->session); i++) {
		const hb_proc *p = hb_session_proc(l->session, i);
		if (p->life == HB_LIFE_RUNNING || p->life == HB_LIFE_HELD)
			look_at(l, p);
	}
}

const hb_waits *hb__live_waits(const hb_live *l, int32_t rank)
{
	for (size_t i = 0; i < l->nwaits; i++) {
		const hb_proc *p = l->waits[i].rank == rank ? hb_session_proc(l->session, rank) : NULL;
		if (p && l->waits[i].lane < p->nthreads && p->threads[l->waits[i].lane].hold == HB_HOLD_STANDS)
			return &l->waits[i];
	}
	return NULL;
}
