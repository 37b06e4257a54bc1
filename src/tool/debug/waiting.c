/* Whom a process waits for, and whom a command waits for: in words, before somebody wonders. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "base/clock.h"
#include "base/task.h"
#include "../terminal.h"
#include "debug.h"

#define AGAIN_S 1.0  /* between two lines on a terminal */
#define POLLED_S 1.0 /* who was told no within so long polls */
#define QUIET_S 1.0  /* without an event for so long is worth a word */

/* ---- who waits for one that stands ---- */

/* What to type so that it goes on: the other one as far as it is needed, or all. */
static char *advice(hb_debug *d, const hb_waits *w)
{
	char name[HB_EVENT_NAME];
	const hb_proc *by = hb_session_proc(hb__live_session(d->live), w->by);
	if (!by || !hb__d_alive(by))
		return hb__copy("");
	if (by->life == HB_LIFE_BROKEN)
		return hb__format("[%s] cont", by->name);
	if (w->next.line != HB_NO && w->others)
		return hb__format("goto %s", hb__event_name(&d->run, w->next, name));
	if (w->next.line == HB_NO || w->missing <= 1)
		return hb__format("[%s] next event", by->name);
	return hb__format("[%s] next event %llu", by->name, (unsigned long long)w->missing);
}

static const char *how_it_stands(const hb_proc *p)
{
	return !p || p->life == HB_LIFE_DEAD ? "is dead"
	       : p->life == HB_LIFE_EXITED   ? "has ended"
	       : p->life == HB_LIFE_BROKEN   ? "is stopped"
					     : "is held";
}

char *hb__d_held_back(hb_debug *d, int32_t rank, char **ret_json)
{
	const hb_waits *w = d->live ? hb__live_waits(d->live, rank) : NULL;
	char name[HB_EVENT_NAME], of[HB_EVENT_NAME], *text;
	if (ret_json)
		*ret_json = NULL;
	if (!w)
		return NULL;
	const hb_proc *p = hb_session_proc(hb__live_session(d->live), rank),
		      *by = hb_session_proc(hb__live_session(d->live), w->by);
	char *after = hb__d_event_name(d, rank, w->lane, p->threads[w->lane].event), *type = advice(d, w);
	char *stands =
		hb__d_event_name(d, w->by, w->by_lane, w->by_lane < by->nthreads ? by->threads[w->by_lane].event : 0);
	if (w->next.line == HB_NO)
		text = hb__format("waits after %s for %s of its threads, and %s is held", after,
			w->joins ? "the end of one" : "another one", stands);
	else {
		char *mine = hb__d_call(d, w->next), *other = hb__d_call(d, w->needs);
		text = hb__format("waits after %s: %s %s needs %s %s, and [%s] %s after %s", after,
			hb__event_name(&d->run, w->next, name), mine ? mine : "", hb__event_name(&d->run, w->needs, of),
			other ? other : "", by->name, how_it_stands(by), stands);
		free(mine);
		free(other);
	}
	char *who = hb__d_who(d, w->by);
	if (ret_json)
		*ret_json = hb__format("{\"after\":\"%s\",\"next\":%s%s%s,\"needs\":%s%s%s,%s,\"lane\":%u,"
				       "\"stands\":\"%s\",\"type\":\"%s\"}",
			after, w->next.line == HB_NO ? "" : "\"", w->next.line == HB_NO ? "null" : name,
			w->next.line == HB_NO ? "" : "\"", w->next.line == HB_NO ? "" : "\"",
			w->next.line == HB_NO ? "null" : of, w->next.line == HB_NO ? "" : "\"", who, w->by_lane, stands,
			type);
	free(who);
	char *whole = hb__format("%s%s%s", text, *type ? "; to let it go on: " : "", type);
	free(text);
	free(after);
	free(stands);
	free(type);
	return whole;
}

/* ---- who computes, and nothing tells for whom it waits ---- */

/* Those who stand, and what lets them go on, as "[0] cont"; false: there are none. asked: also those that were only now told to stop. */
static bool who_stands(hb_debug *d, bool asked, const char **ret_who, char **ret_type)
{
	hb_set standing;
	bool gdb = false;
	hb__d_init(d, &standing);
	for (int32_t i = 0; i < d->size; i++) {
		const hb_proc *p = hb_session_proc(hb__live_session(d->live), i);
		bool broken = p && p->life == HB_LIFE_BROKEN;
		if (!p || !hb__d_stopped(p) || (broken && p->broken.reason == HB_GDB_ASKED && !asked))
			continue;
		hb_set_add(&standing, i);
		gdb |= broken;
	}
	bool any = hb_set_count(&standing) > 0;
	*ret_who = any ? hb__d_set_name(d, &standing) : "";
	*ret_type = any ? hb__format("%s %s", *ret_who, gdb ? "cont" : "next event") : NULL;
	hb_set_free(&standing);
	return any;
}

char *hb__d_quiet(hb_debug *d, const hb_proc *p, const char *event)
{
	const hb_thread *t = p->nthreads == 1 ? &p->threads[0] : NULL; /* of several it is not known which one waits */
	const char *who;
	char *type, *text;
	if (!t || !t->event || t->inside || t->held || t->since <= 0 || p->broke - t->since < QUIET_S ||
		(t->polled > 0 && p->broke - t->polled < POLLED_S))
		return NULL;
	if (who_stands(d, false, &who, &type))
		text = hb__format(
			", no event for %.0f s after %s; perhaps it waits for %s, which stands; to let that go on: %s",
			p->broke - t->since, event, who, type);
	else
		text = hb__format(", no event for %.0f s after %s", p->broke - t->since, event);
	free(type);
	return text;
}

/* ---- whom a command waits for ---- */

struct doing {
	const char *what; /* as --json has it */
	char *text, *call;
	double since; /* seconds; 0: not known */
	bool own;     /* it is in its own code: gdb alone can tell where */
};

/* The first thread that a wait can be for. */
static uint32_t lane_under_way(const hb_proc *p)
{
	for (uint32_t i = 0; i < p->nthreads; i++)
		if (!p->threads[i].held && (!i || hb_thread_is_awaited(&p->threads[i])) && p->threads[i].lane_known &&
			!p->threads[i].gone)
			return i;
	return 0;
}

static bool sleeps(const hb_proc *p, const hb_thread *t)
{
	hb_task task;
	return p->here && t && hb_task_read(p->pid, t->task, &task) && (task.state == 'S' || task.state == 'D');
}

static struct doing doing_of(hb_debug *d, const hb_proc *p)
{
	uint32_t lane = lane_under_way(p);
	const hb_thread *t = lane < p->nthreads ? &p->threads[lane] : NULL;
	double now = hb_seconds();
	const char *polls;
	struct doing r = {.what = "computes", .since = t ? t->since : 0};
	hb_at at;
	if (p->life == HB_LIFE_ABSENT)
		return (struct doing){.what = "absent", .text = hb__d_state(d, p->rank, NULL)};
	if ((r.text = hb__d_held_back(d, p->rank, NULL)))
		r.what = "held back";
	else if (t && t->inside && !lane && (r.call = hb__copy(hb__live_inside(d->live, p->rank)))) {
		r.what = "inside";
		r.text = hb__format("is in %s", r.call);
	} else if (t && t->polled > 0 && now - t->polled < POLLED_S) {
		r.what = "polls";
		polls = hb__live_polls(d->live, p->rank);
		r.call = polls ? hb__copy(polls) : NULL;
		r.text = hb__format("polls %s without success", polls ? polls : "MPI");
	} else {
		r.what = sleeps(p, t) ? "sleeps" : "computes";
		r.own = true;
		r.text = hb__format("%s in its own code", r.what);
	}
	if (t && t->event && strcmp(r.what, "held back")) {
		char *name = hb__d_event_name(d, p->rank, lane, t->event);
		char *call = !lane && d->run.model && hb__d_stands_at(d, p->rank, &at) ? hb__d_call(d, at) : NULL;
		char *more = hb__format("%s, after %s%s%s", r.text, name, call ? "  " : "", call ? call : "");
		free(name);
		free(call);
		free(r.text);
		r.text = more;
	}
	return r;
}

static void free_doing(struct doing *r)
{
	free(r->text);
	free(r->call);
}

static void say_one(hb_debug *d, const hb_proc *p, const char *standing)
{
	struct doing r = doing_of(d, p);
	double seconds = r.since > 0 ? hb_seconds() - r.since : -1; /* of a job that runs without hbdb nobody knows */
	char *call = r.call ? hb__d_json(r.call) : hb__copy("null"), *text = hb__d_json(r.text);
	char *known = seconds < 0 ? hb__copy("null") : hb__format("%.1f", seconds);
	char *type = r.own ? hb__format("[%s] where", p->name) : NULL;
	char *json =
		hb__format("\"doing\":\"%s\",\"call\":%s,\"event\":%llu,\"seconds\":%s,\"type\":%s%s%s,%s,\"text\":%s",
			r.what, call, (unsigned long long)hb__d_event_of(p), known, type ? "\"" : "",
			type ? type : "null", type ? "\"" : "", standing, text);
	char *ago = seconds < 0 ? hb__copy("") : hb__format(", for %.0f s", seconds);
	char *hint = type ? hb__format("; '%s' at the prompt shows where", type) : hb__copy("");
	hb__d_reply(d, p->rank, false, json, "%s%s%s", r.text, ago, hint);
	free(hint);
	free(ago);
	free(type);
	free(known);
	free(call);
	free(text);
	free_doing(&r);
}

/* As answers of the processes: for scripts and for machines. Who stands meanwhile may be what they wait for, where nobody can know. */
static void say_once(hb_debug *d, const hb_set *set)
{
	const char *who;
	char *type;
	bool any = who_stands(d, true, &who, &type);
	char *standing = any ? hb__format("\"stands\":\"%s\",\"release\":\"%s\"", who, type)
			     : hb__copy("\"stands\":null,\"release\":null");
	char *hint = any ? hb__format("; perhaps they wait for %s, who stand ('%s' at the prompt lets these go on)",
				   who, type)
			 : hb__copy("");
	for (int32_t i = hb_set_next(set, 0); i >= 0; i = hb_set_next(set, i + 1)) {
		const hb_proc *p = hb_session_proc(hb__live_session(d->live), i);
		if (p && hb_session_arrival(hb__live_session(d->live), i) == HB_UNDERWAY)
			say_one(d, p, standing);
	}
	if (d->nreplies)
		hb__d_note(d, "still waiting; Ctrl-C gives the prompt back, set timeout limits waits%s:", hint);
	hb__d_replies(d, "waiting");
	free(hint);
	free(standing);
	free(type);
}

/* So many bytes of a text that they fit into a line of the terminal. */
static int fits(const char *text)
{
	struct winsize w;
	size_t n = strlen(text), most = !ioctl(1, TIOCGWINSZ, &w) && w.ws_col > 1 ? (size_t)w.ws_col - 1 : 79;
	n = n < most ? n : most;
	while (n && ((unsigned char)text[n] & 0xc0) == 0x80)
		n--;
	return (int)n;
}

void hb__d_wipe_waiting(hb_debug *d)
{
	if (!d->waiting_line)
		return;
	fflush(stdout);
	fputs("\r\033[K", hb__bare_stdout());
	fflush(hb__bare_stdout());
	d->waiting_line = false;
}

static void draw(hb_debug *d, const hb_set *set, double begun)
{
	int more = 0;
	int32_t first = -1;
	for (int32_t i = hb_set_next(set, 0); i >= 0; i = hb_set_next(set, i + 1))
		if (hb_session_arrival(hb__live_session(d->live), i) == HB_UNDERWAY) {
			more += first >= 0;
			first = first < 0 ? i : first;
		}
	const hb_proc *p = first < 0 ? NULL : hb_session_proc(hb__live_session(d->live), first);
	if (!p || d->half)
		return;
	struct doing r = doing_of(d, p);
	char *others = more ? hb__format(" and %d more", more) : hb__copy(""),
	     *text = hb__format("(Ctrl-C gives the prompt back) waiting %.0f s for [%s]%s, which %s",
		     hb_seconds() - begun, p->name, others, r.text);
	hb__d_wipe_waiting(d);
	printf("%.*s", fits(text), text);
	fflush(stdout);
	d->waiting_line = true;
	free(text);
	free(others);
	free_doing(&r);
}

void hb__d_say_waiting(hb_debug *d, const hb_set *set, double begun)
{
	double now = hb_seconds(), patience = d->settings.patience;
	if (patience <= 0 || now - begun < patience)
		return;
	if (d->settings.json || !hb__on_terminal(1)) {
		if (d->said_waiting < begun)
			say_once(d, set);
		d->said_waiting = now;
	} else if (now - d->said_waiting >= AGAIN_S) {
		draw(d, set, begun);
		d->said_waiting = now;
	}
}
