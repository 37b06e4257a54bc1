/* How a process stands, in words. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../show/inert.h"
#include "debug.h"

bool hb__d_alive(const hb_proc *p)
{
	return p->life == HB_LIFE_RUNNING || p->life == HB_LIFE_HELD || p->life == HB_LIFE_BROKEN;
}

bool hb__d_stopped(const hb_proc *p) { return p->life == HB_LIFE_HELD || p->life == HB_LIFE_BROKEN; }

/* The thread that is held, else the first. */
static const hb_thread *thread_of(const hb_proc *p)
{
	for (uint32_t i = 0; i < p->nthreads; i++)
		if (p->threads[i].held)
			return &p->threads[i];
	return p->nthreads ? &p->threads[0] : NULL;
}

uint64_t hb__d_event_of(const hb_proc *p)
{
	const hb_thread *t = thread_of(p);
	return t ? t->event : 0;
}

char *hb__d_event_name(const hb_debug *d, int32_t rank, uint32_t lane, uint64_t event)
{
	return lane ? hb__format("%s.%u:%llu", hb__d_name(d, rank), lane, (unsigned long long)event)
		    : hb__format("%s:%llu", hb__d_name(d, rank), (unsigned long long)event);
}

/* Of the event that it stands after. */
static char *event_name(const hb_debug *d, const hb_proc *p)
{
	const hb_thread *t = thread_of(p);
	return hb__d_event_name(d, p->rank, t ? (uint32_t)(t - p->threads) : 0, t ? t->event : 0);
}

static bool has_rank(const hb_proc *p) { return *hb_rank_word(p->name); }

char *hb__d_call(hb_debug *d, hb_at at)
{
	hb_fact fact;
	if (!d->facts || !at.event || !hb__fact(d->facts, at, &fact))
		return NULL;
	uint32_t process = hb_model_lines(d->run.model)[at.line].process;
	const hb_log *log = hb_model_processes(d->run.model)[process].log;
	const hb_function *f = log ? hb_log_function(log, fact.function) : NULL;
	const hb_place *place = hb__process_place(&d->run, process, fact.site);
	return hb__format(
		"%s%s%s", f && f->name ? hb__tame(f->name) : "a call", place ? "  " : "", place ? place->text : "");
}

/* The call that a process stands after, when the recording tells. */
static char *call_of(hb_debug *d, const hb_proc *p)
{
	const hb_thread *t = thread_of(p);
	if (!d->run.model || !t || !t->event)
		return NULL;
	uint32_t lane = (uint32_t)(t - p->threads);
	uint32_t process = hb__live_process(d->live, p->rank);
	const hb_process *of = process == HB_NO ? NULL : &hb_model_processes(d->run.model)[process];
	if (!of || lane >= of->nlines)
		return NULL;
	hb_at at = {of->first_line + lane, (uint32_t)t->event};
	return t->event <= hb_model_lines(d->run.model)[at.line].events ? hb__d_call(d, at) : NULL;
}

static const char *signal_name(int sig)
{
	static char name[32];
	const char *abbreviation = sigabbrev_np(sig);
	if (abbreviation)
		snprintf(name, sizeof name, "SIG%s", abbreviation);
	else
		snprintf(name, sizeof name, "signal %d", sig);
	return name;
}

/* ---- one life each ---- */

static bool in_init(const hb_proc *p)
{
	const hb_thread *t = thread_of(p);
	return !t || (!t->event && t == p->threads) || (t->held && t->why == HB_WHY_START);
}

/* What a process that is waited for is doing itself: ", which is stopped after 3:17". */
static char *whose(hb_debug *d, int32_t waits, const char *inside)
{
	const char *from = strstr(inside, " from ");
	int32_t rank = from ? hb_session_find(hb__live_session(d->live), from + 6, strlen(from + 6)) : -1;
	const hb_proc *p = rank >= 0 && rank != waits ? hb_session_proc(hb__live_session(d->live), rank) : NULL;
	if (!p)
		return hb__copy("");
	char *name = event_name(d, p), *text;
	if (hb__d_stopped(p))
		text = in_init(p) ? hb__copy(has_rank(p) ? ", which is stopped in MPI_Init"
							 : ", which is stopped before its first event")
				  : hb__format(", which is stopped after %s", name);
	else if (p->life == HB_LIFE_DEAD)
		text = hb__copy(", which is dead");
	else if (p->life == HB_LIFE_EXITED)
		text = hb__copy(", which has ended");
	else if (p->life == HB_LIFE_ABSENT)
		text = hb__copy(has_rank(p) ? ", which has not called MPI_Init yet"
					    : ", which has not come to its first event yet");
	else
		text = hb_session_arrival(hb__live_session(d->live), rank) == HB_BLOCKED
			       ? hb__copy(", which is blocked itself")
			       : hb__copy("");
	free(name);
	return text;
}

static char *running(hb_debug *d, const hb_proc *p)
{
	const hb_thread *t = thread_of(p);
	const char *inside = t && t->inside ? hb__live_inside(d->live, p->rank) : NULL;
	char *copy = inside ? hb__copy(inside) : NULL, *name = event_name(d, p), *text;
	bool blocked = hb_session_arrival(hb__live_session(d->live), p->rank) == HB_BLOCKED;
	bool expected = t && t->asked && t->stop_inside && t->inside && t->event == t->stop;
	if (copy) {
		char *who = whose(d, p->rank, copy);
		bool stuck = blocked || expected;
		text = hb__format("%s in %s%s%s%s", stuck ? "blocked" : "running,", copy, who,
			!stuck && t->event ? ", after " : "", !stuck && t->event ? name : "");
		free(who);
	} else if (!(text = hb__d_held_back(d, p->rank, NULL)))
		text = t && t->event ? hb__format("running, after %s", name) : hb__copy("running");
	free(name);
	free(copy);
	return text;
}

static char *held(hb_debug *d, const hb_proc *p)
{
	const hb_thread *t = thread_of(p);
	char *name = event_name(d, p), *call = call_of(d, p), *text;
	hb_why why = t ? t->why : HB_WHY_START;
	if (p->signal && why == HB_WHY_SIGNAL)
		text = hb__format(
			"%s (%s), after %s; about to die", signal_name(p->signal), strsignal(p->signal), name);
	else if (in_init(p))
		text = hb__copy(has_rank(p) ? "held in MPI_Init" : "held before its first event");
	else if (!t->event)
		text = hb__format("held before %.*s1, the first event of a thread", (int)strlen(name) - 1, name);
	else if (why == HB_WHY_END)
		text = hb__format(
			"held after %s, where its recording ends%s%s", name, call ? "  " : "", call ? call : "");
	else if (why == HB_WHY_DIFFERS)
		text = hb__format("differs from its recording after %s", name);
	else
		text = hb__format("held after %s%s%s", name, call ? "  " : "", call ? call : "");
	char *other = hb__d_held_back(d, p->rank, NULL);
	if (other) { /* of its threads one stands, and another one does not get further */
		char *both = hb__format("%s; %s", text, other);
		free(text);
		text = both;
	}
	free(other);
	free(name);
	free(call);
	return text;
}

static char *broken(hb_debug *d, const hb_proc *p)
{
	const hb_gdb_stop *s = &p->broken;
	char *alone = p->alone ? hb__d_alone_state(d, p) : NULL;
	if (alone)
		return alone;
	char *frame = hb__d_frame_text(&s->frame), *text;
	const hb_action_point *point = hb__d_point_of(d, p->rank, s->number);
	const hb_thread *t = thread_of(p);
	static const char *const kinds[] = {"breakpoint", "barrier", "watchpoint"};
	if ((s->reason == HB_GDB_BREAKPOINT || s->reason == HB_GDB_WATCHPOINT) && point &&
		s->reason == HB_GDB_BREAKPOINT)
		text = hb__format("%s %d: %s", kinds[point->kind], point->number, frame);
	else if (s->reason == HB_GDB_WATCHPOINT)
		text = hb__format("watchpoint %d: %s was %s, is %s: %s", point ? point->number : s->number,
			s->expression, s->old_value, s->new_value, frame);
	else if (s->reason == HB_GDB_SIGNAL)
		text = hb__format("%s (%s): %s", s->signal_name, s->meaning, frame);
	else if (s->frame.ours && t && t->inside && hb__live_inside(d->live, p->rank))
		text = hb__format("stopped in %s", hb__live_inside(d->live, p->rank));
	else if (s->frame.ours && t)
		text = hb__format("stopped after %s:%llu", p->name, (unsigned long long)t->event);
	else
		text = hb__format("stopped: %s", frame);
	if (s->reason == HB_GDB_ASKED) {
		char *name = event_name(d, p), *quiet = hb__d_quiet(d, p, name), *whole;
		whole = hb__format("%s%s", text, quiet ? quiet : "");
		free(name);
		free(quiet);
		free(text);
		text = whole;
	}
	free(frame);
	return text;
}

/* A dead process has no stack any more: how far it came is what can be said. */
static char *died(hb_debug *d, const hb_proc *p)
{
	const hb_thread *t = thread_of(p);
	char *name = event_name(d, p), *call = call_of(d, p);
	char *how = p->lost     ? hb__format("lost with its node %s", p->host)
		    : p->signal ? hb__format("dead: %s", signal_name(p->signal))
				: hb__copy("dead");
	char *text = hb__format("%s%s%s%s%s", how, t && t->event ? ", after " : "", t && t->event ? name : "",
		call ? "  " : "", call ? call : "");
	free(how);
	free(name);
	free(call);
	return text;
}

static char *ended(hb_debug *d, const hb_proc *p)
{
	if (p->life == HB_LIFE_DEAD)
		return died(d, p);
	if (!strcmp(p->bye, "left"))
		return hb__copy("exited without MPI_Finalize");
	if (!strcmp(p->bye, "aborted"))
		return hb__copy("exited by MPI_Abort");
	return hb__copy("exited");
}

/* ---- all of them ---- */

static char *as_json(hb_debug *d, const hb_proc *p, const char *text)
{
	static const char *const lives[] = {"absent", "running", "held", "broken", "exited", "dead"};
	static const char *const whys[] = {"start", "after", "signal", "end", "differs"};
	const hb_thread *t = thread_of(p);
	char *said = hb__d_json(text), *host = *p->host ? hb__d_json(p->host) : NULL, *call = call_of(d, p),
	     *quoted = call ? hb__d_json(call) : NULL;
	bool blocked =
		p->life == HB_LIFE_RUNNING && hb_session_arrival(hb__live_session(d->live), p->rank) == HB_BLOCKED;
	char *who = hb__d_who(d, p->rank), *waits, *waiting = hb__d_held_back(d, p->rank, &waits);
	char *json = hb__format("%s,\"life\":\"%s\",\"why\":%s%s%s,\"blocked\":%s,\"event\":%llu,\"inside\":%s,"
				"\"signal\":%d,\"lost\":%s,\"pid\":%d,\"host\":%s,\"call\":%s,\"waits\":%s,\"text\":%s",
		who, lives[p->life], p->life == HB_LIFE_HELD && t ? "\"" : "",
		p->life == HB_LIFE_HELD && t ? whys[t->why] : "null", p->life == HB_LIFE_HELD && t ? "\"" : "",
		blocked ? "true" : "false", (unsigned long long)(t ? t->event : 0), t && t->inside ? "true" : "false",
		p->signal, p->lost ? "true" : "false", p->pid, host ? host : "null", quoted ? quoted : "null",
		waits ? waits : "null", said);
	free(who);
	free(waits);
	free(waiting);
	free(said);
	free(host);
	free(call);
	free(quoted);
	return json;
}

char *hb__d_state(hb_debug *d, int32_t rank, char **ret_json)
{
	static const hb_proc nobody;
	const hb_proc *p = d->live ? hb_session_proc(hb__live_session(d->live), rank) : NULL;
	hb_proc absent = nobody;
	absent.rank = rank;
	p = p ? p : &absent;
	char *text = p->life == HB_LIFE_ABSENT    ? hb__copy(has_rank(p) ? "has not called MPI_Init yet"
									 : "has not come to its first event yet")
		     : p->life == HB_LIFE_RUNNING ? running(d, p)
		     : p->life == HB_LIFE_HELD    ? held(d, p)
		     : p->life == HB_LIFE_BROKEN  ? broken(d, p)
						  : ended(d, p);
	if (p->life == HB_LIFE_ABSENT && d->live && !hb__live_running(d->live)) {
		free(text);
		text = hb__copy("not running; run starts the job");
	}
	if (ret_json)
		*ret_json = as_json(d, p, text);
	return text;
}

/* FNV-1a */
static uint64_t hash(const char *text)
{
	uint64_t h = 14695981039346656037u;
	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * 1099511628211u;
	return h;
}

bool hb__d_told(hb_debug *d, int32_t rank)
{
	const hb_proc *p = hb_session_proc(hb__live_session(d->live), rank);
	char *text = hb__d_state(d, rank, NULL);
	uint64_t now = hash(text);
	bool told = now == d->shown[rank];
	free(text);
	d->shown[rank] = now;
	d->told[rank] = p ? p->changes : 0;
	return told;
}

int hb__d_show(hb_debug *d, const hb_set *set)
{
	if (d->size && !hb_set_count(set))
		hb__d_note(d, "no process is in [%s]", d->focus);
	for (int32_t i = hb_set_next(set, 0); i >= 0; i = hb_set_next(set, i + 1)) {
		char *json, *text = hb__d_state(d, i, &json);
		hb__d_reply(d, i, false, json, "%s", text);
		hb__d_told(d, i);
		free(text);
	}
	return hb__d_replies(d, "status");
}

void hb__d_show_hosts(hb_debug *d, const hb_set *set)
{
	hb_set rest, there;
	hb__d_init(d, &rest);
	hb_set_copy(&rest, set);
	for (int32_t first = hb_set_next(&rest, 0); first >= 0; first = hb_set_next(&rest, 0)) {
		const hb_proc *p = hb_session_proc(hb__live_session(d->live), first), *other;
		hb__d_init(d, &there);
		for (int32_t i = first; i >= 0; i = hb_set_next(&rest, i + 1)) {
			other = hb_session_proc(hb__live_session(d->live), i);
			if (!strcmp(p ? p->host : "", other ? other->host : ""))
				hb_set_add(&there, i);
		}
		for (int32_t i = hb_set_next(&there, 0); i >= 0; i = hb_set_next(&there, i + 1))
			hb_set_remove(&rest, i);
		/* all on one: nothing to tell */
		if (p && *p->host && (hb_set_count(&rest) || hb_set_count(&there) < hb_set_count(set)))
			hb__d_note(d, "%s on %s", hb__d_set_name(d, &there), p->host);
		hb_set_free(&there);
	}
	hb_set_free(&rest);
}
