/* Keeping the job in view: what it prints, who reached which point, waiting. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "../terminal.h"
#include "calls/meaning.h"
#include "debug.h"

#define STEP_MS 20
#define HANG_S 3.0
#define FINALIZE_S 20.0
#define START_S 30.0         /* for all processes to have called MPI_Init, before the prompt comes all the same */
#define START_SCRIPT_S 300.0 /* ... before a script, which cannot look and decide to wait, goes on */

/* ---- what comes in ---- */

/* As objects, so that each line of --json is one. Zero bytes have no place in them. */
static void hand_on_as_json(hb_debug *d, char *text, size_t n)
{
	text[n] = 0;
	for (size_t at = 0; at < n; at += strlen(text + at) + 1) {
		char *json = text[at] ? hb__d_json(text + at) : NULL;
		if (json)
			hb__d_print(d, "{\"answer\":\"output\",\"text\":%s}\n", json);
		free(json);
	}
}

/* Hands on what the job prints. The line that is being edited is taken off the screen before. */
static bool pump(hb_debug *d)
{
	char buffer[8192];
	ssize_t n;
	bool any = false;
	while (d->job_out >= 0 && (n = read(d->job_out, buffer, sizeof buffer - 1)) > 0) {
		if (d->settings.json) {
			hand_on_as_json(d, buffer, (size_t)n);
			continue;
		}
		fflush(stdout);
		hb__d_wipe_waiting(d);
		if (!any && d->editing)
			fputs("\r\033[K", hb__bare_stdout());
		any = true;
		fwrite(buffer, 1, (size_t)n, hb__bare_stdout());
		fflush(hb__bare_stdout());
		d->half = buffer[n - 1] != '\n';
	}
	if (any && d->editing && d->half) {
		putchar('\n');
		d->half = false;
	}
	fflush(stdout);
	return any;
}

/* The job may be larger than was known, when nobody knew. */
static void grow(hb_debug *d)
{
	int32_t size = hb_session_size(hb__live_session(d->live));
	if (size <= d->size && d->seen)
		return;
	int32_t room = size > d->size ? size : d->size;
	size_t old = d->seen ? (size_t)d->size : 0, now = (size_t)room + 1;
	d->seen = hb__resize(d->seen, now * sizeof *d->seen);
	d->told = hb__resize(d->told, now * sizeof *d->told);
	d->shown = hb__resize(d->shown, now * sizeof *d->shown);
	d->frame = hb__resize(d->frame, now * sizeof *d->frame);
	d->gdb = hb__resize(d->gdb, now * sizeof *d->gdb);
	d->at_point = hb__resize(d->at_point, now * sizeof *d->at_point);
	for (size_t i = old; i < now; i++) {
		d->seen[i] = d->told[i] = d->shown[i] = 0;
		d->frame[i] = 0;
		d->gdb[i] = NULL;
		d->at_point[i] = false;
	}
	d->size = room;
}

/* A process that has moved stands in another frame; it may have come to a point of the user's. */
static void notice(hb_debug *d, const hb_proc *p)
{
	if (p->life != HB_LIFE_BROKEN)
		d->at_point[p->rank] = false;
	else if (!d->at_point[p->rank] &&
		 (p->broken.reason == HB_GDB_BREAKPOINT || p->broken.reason == HB_GDB_WATCHPOINT)) {
		hb_action_point *point = hb__d_point_of(d, p->rank, p->broken.number);
		d->at_point[p->rank] = true;
		if (point)
			hb__d_reached(d, p->rank, point);
	}
	for (uint32_t i = 0; i < p->nthreads; i++)
		if (p->threads[i].held && p->threads[i].why == HB_WHY_DIFFERS)
			d->differed = true;
}

void hb__d_poll(hb_debug *d, int ms)
{
	if (!d->live) {
		pump(d);
		return;
	}
	hb_session *session = hb__live_session(d->live);
	hb__live_poll(d->live, ms);
	grow(d);
	pump(d);
	for (int32_t i = 0; i < d->size; i++) {
		const hb_proc *p = hb_session_proc(session, i);
		if (!p || p->changes == d->seen[i])
			continue;
		d->seen[i] = p->changes;
		notice(d, p);
	}
	d->differed = d->differed || hb__live_differs(d->live);
	if (d->one)
		hb__d_tell_notes(d);
}

/* ---- waiting ---- */

/* What a process is inside of begins with the name of the call. */
static bool in_finalize(const char *inside)
{
	char name[64];
	snprintf(name, sizeof name, "%.*s", (int)strcspn(inside, " "), inside);
	return hb_meaning_of(name, HB_SPECIAL)->does == HB_DOES_FINALIZE;
}

/* When nobody stands, what is inside a call for long is slow, or hangs by itself: for so many seconds it gets the benefit of the doubt. */
static double doubt(hb_debug *d)
{
	double seconds = HANG_S;
	for (int32_t i = 0; i < d->size; i++) {
		const hb_proc *p = hb_session_proc(hb__live_session(d->live), i);
		if (!p || hb__d_stopped(p))
			return 0;
		const char *inside = p->life == HB_LIFE_RUNNING ? hb__live_inside(d->live, i) : NULL;
		if (inside && in_finalize(inside))
			seconds = FINALIZE_S;
	}
	return seconds;
}

static bool underway(hb_debug *d, const hb_set *set)
{
	bool blocked = false;
	if (!d->size)
		return true;
	for (int32_t i = hb_set_next(set, 0); i >= 0; i = hb_set_next(set, i + 1)) {
		hb_arrival a = hb_session_arrival(hb__live_session(d->live), i);
		if (a == HB_UNDERWAY) {
			d->blocked_since = 0;
			return true;
		}
		blocked |= a == HB_BLOCKED;
	}
	if (!blocked)
		return false;
	if (!d->blocked_since)
		d->blocked_since = hb_seconds();
	return hb_seconds() - d->blocked_since < doubt(d);
}

static hb_waited wait_for(hb_debug *d, const hb_set *set, double seconds)
{
	double begun = hb_seconds(), end = begun + seconds;
	d->blocked_since = 0;
	hb__d_poll(d, 0);
	for (;;) {
		if (!hb__live_running(d->live))
			return HB_WAIT_ENDED;
		if (!underway(d, set))
			return HB_WAITED;
		if (hb__d_interrupted())
			return HB_WAIT_INTERRUPTED;
		if (seconds > 0 && hb_seconds() >= end)
			return HB_WAIT_OVER;
		hb__d_say_waiting(d, set, begun);
		hb__d_poll(d, STEP_MS);
	}
}

hb_waited hb__d_wait(hb_debug *d, const hb_set *set, double seconds)
{
	hb_waited waited = wait_for(d, set, seconds);
	hb__d_wipe_waiting(d);
	return waited;
}

/* The job has ended: once. */
static void tell_end(hb_debug *d)
{
	if (d->ended_told || !d->started || hb__live_running(d->live))
		return;
	d->ended_told = true;
	if (hb__live_attached(d->live)) {
		hb__d_note(d, "the job has ended");
		return;
	}
	int status = hb__live_status(d->live);
	if (d->settings.json)
		hb__d_print(d, "{\"answer\":\"end\",\"status\":%d}\n", status);
	else
		hb__d_print(d, "the job has ended, with status %d\n", status);
}

int hb__d_stop_running(hb_debug *d, const hb_set *set)
{
	hb_error err = {0};
	if (hb__d_signal() != SIGINT) /* one that ends hbdb stays */
		return 0;
	int code = hb_session_halt(hb__live_session(d->live), set, &err)
			   ? hb__d_fail(d, HB_EXIT_FINDING, "%s", err.message)
			   : 0;
	hb__d_poll(d, 0);
	return code;
}

void hb__d_stop_all(hb_debug *d)
{
	hb_set set;
	hb_error err = {0};
	hb__d_poll(d, 0);
	hb__d_init(d, &set);
	for (int32_t i = 0; i < d->size; i++) {
		const hb_proc *p = hb_session_proc(hb__live_session(d->live), i);
		if (p && p->life == HB_LIFE_RUNNING)
			hb_set_add(&set, i);
	}
	if (hb_set_count(&set)) {
		if (hb_session_halt(hb__live_session(d->live), &set, &err))
			hb__d_fail(d, HB_EXIT_FINDING, "%s", err.message);
		hb__d_poll(d, 0);
		hb__d_show(d, &set);
	}
	hb_set_free(&set);
}

int hb__d_wait_and_show(hb_debug *d, const hb_set *set)
{
	hb_waited waited = hb__d_wait(d, set, d->settings.timeout);
	if (waited == HB_WAIT_INTERRUPTED)
		hb__d_stop_running(d, set);
	hb__d_show(d, set);
	tell_end(d);
	if (waited == HB_WAIT_INTERRUPTED)
		return hb__d_fail(d, HB_EXIT_FINDING, "interrupted");
	if (waited == HB_WAIT_OVER)
		return hb__d_fail(d, HB_EXIT_FINDING,
			"not all processes have stopped after %g s (set timeout changes the limit)",
			d->settings.timeout);
	return 0;
}

bool hb__d_news(hb_debug *d)
{
	bool any = pump(d);
	hb_set set;
	hb__d_init(d, &set);
	for (int32_t i = 0; d->live && i < d->size; i++) {
		const hb_proc *p = hb_session_proc(hb__live_session(d->live), i);
		bool stands = p && (hb__d_stopped(p) || p->life == HB_LIFE_EXITED || p->life == HB_LIFE_DEAD);
		if (stands && p->changes != d->told[i] && !hb__d_told(d, i))
			hb_set_add(&set, i);
	}
	bool ended = d->live && d->started && !d->ended_told && !hb__live_running(d->live);
	if (hb_set_count(&set) || ended) {
		if (d->editing && !any)
			fputs("\r\033[K", hb__bare_stdout());
		fflush(hb__bare_stdout());
		any = true;
		hb__d_show(d, &set);
		tell_end(d);
	}
	hb_set_free(&set);
	fflush(stdout);
	return any;
}

/* ---- beginning ---- */

void hb__d_anew(hb_debug *d)
{
	for (int32_t i = 0; d->seen && i < d->size; i++) {
		d->frame[i] = 0;
		d->gdb[i] = NULL;
		d->seen[i] = d->told[i] = d->shown[i] = 0;
		d->at_point[i] = false;
	}
	d->ended_told = false;
	d->started = true;
	hb__d_forget_planted(d);
}

int hb__d_start(hb_debug *d)
{
	int code = hb__live_start(d->live);
	if (code)
		return code;
	hb__d_anew(d);
	hb_set all;
	double seconds = hb__on_terminal(0) ? START_S : START_SCRIPT_S, end = hb_seconds() + seconds;
	bool wait;
	do {
		hb__d_poll(d, STEP_MS);
		hb__d_init(d, &all);
		hb_set_all(&all);
		wait = underway(d, &all);
		hb_set_free(&all);
	} while (wait && hb__live_running(d->live) && !hb__d_interrupted() && hb_seconds() < end);
	for (int32_t i = 0; i < d->size; i++)
		hb__d_told(d, i); /* that all are held in MPI_Init is as expected */
	if (!hb__live_running(d->live)) {
		d->ended_told = true;
		return hb__d_fail(d, HB_EXIT_FINDING,
			"the job ended with status %d before its processes had called MPI_Init",
			hb__live_status(d->live));
	}
	if (hb__d_interrupted())
		hb__d_signal();
	else if (wait)
		hb__d_note(d,
			"not all processes have come to MPI_Init in %g s: wait waits for them, status shows which",
			seconds);
	return 0;
}
