/* stop, goto, next event, back, bookmark: moving by events of the recording. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "../../live/points.h"
#include "../debug.h"

static int needs_events(hb_debug *d) { return d->run.model ? 0 : hb__d_fail(d, HB_EXIT_FINDING, "%s", d->whyno); }

int hb__d_event(hb_debug *d, const char *text, hb_at *ret)
{
	const char *marked = hb__d_get(&d->bookmarks, text);
	int code = needs_events(d);
	if (!code && !marked && hb__d_is_name(text))
		return hb__d_fail(d, HB_EXIT_USAGE, "there is no bookmark %s; bookmark lists all bookmarks", text);
	code = code ? code : hb__check_event(marked ? marked : text);
	return code ? code : hb__read_event(&d->run, marked ? marked : text, ret);
}

bool hb__d_stands_at(hb_debug *d, int32_t rank, hb_at *ret)
{
	const hb_proc *p = hb_session_proc(hb__live_session(d->live), rank);
	uint32_t process = hb__live_process(d->live, rank), lane = 0;
	const hb_process *of = process == HB_NO ? NULL : &hb_model_processes(d->run.model)[process];
	if (!p || !of || !of->nlines)
		return false;
	for (uint32_t k = 0; k < p->nthreads && k < of->nlines; k++)
		if (p->threads[k].held) {
			lane = k;
			break;
		}
	*ret = (hb_at){of->first_line + lane, p->nthreads ? (uint32_t)p->threads[lane].event : 0};
	return true;
}

bool hb__d_here(hb_debug *d, hb_at *ret)
{
	int32_t rank = hb_set_next(&d->set, 0);
	return rank >= 0 && d->run.model && hb_set_count(&d->set) == 1 && hb__d_stands_at(d, rank, ret);
}

/* ---- cuts ---- */

static char *cut_line(hb_debug *d, hb_at at, hb_stop stop)
{
	char name[HB_EVENT_NAME], *call, *text;
	static const char *const words[] = {"", "after", "inside", "after"};
	if (stop == HB_STOP_NOTHING)
		return hb__copy("does not run");
	call = hb__d_call(d, at);
	text = hb__format("%s %s  %s%s", words[stop], hb__event_name(&d->run, at, name), call ? call : "",
		stop == HB_STOP_END ? ", its last" : "");
	free(call);
	return text;
}

int hb__d_show_cut(hb_debug *d, hb_at at, const uint32_t *event, const hb_stop *stop)
{
	static const char *const words[] = {"nothing", "after", "inside", "end"};
	char of[HB_EVENT_NAME];
	const hb_line *lines = hb_model_lines(d->run.model);
	hb__event_name(&d->run, at, of);
	hb__d_note(d, "the cut of %s", of);
	for (uint32_t i = 0; i < hb_model_get_info(d->run.model)->lines; i++) {
		int32_t number = hb__live_number(d->live, lines[i].process);
		if (number < 0 || number >= d->size)
			continue;
		char *text = cut_line(d, (hb_at){i, event[i]}, stop[i]);
		char *who = hb__d_who(d, number),
		     *json = hb__format("\"of\":\"%s\",%s,\"lane\":%u,\"stop\":\"%s\",\"event\":%u", of, who,
			     lines[i].lane, words[stop[i]], event[i]);
		free(who);
		hb__d_reply(d, number, false, json, "%s", text);
		free(text);
	}
	return hb__d_replies(d, "cut");
}

typedef hb_status cut_function(hb_model *model, hb_at at, uint32_t *ret_event, hb_stop *ret_stop, hb_error *err);

/* Free both arrays. */
static int cut_of(hb_debug *d, cut_function *cut, hb_at at, uint32_t **ret_event, hb_stop **ret_stop)
{
	uint32_t lines = hb_model_get_info(d->run.model)->lines;
	hb_error err = {0};
	*ret_event = hb__alloc((lines + 1) * sizeof **ret_event);
	*ret_stop = hb__alloc((lines + 1) * sizeof **ret_stop);
	return cut(d->run.model, at, *ret_event, *ret_stop, &err) ? hb__d_fail(d, HB_EXIT_FINDING, "%s", err.message)
								  : 0;
}

int hb__v_cone(hb_debug *d, char *args)
{
	hb_at at;
	uint32_t *event;
	hb_stop *stop;
	if (!*args)
		return hb__d_fail(d, HB_EXIT_USAGE, "cone takes an event, as in cone 0:17");
	int code = hb__d_event(d, args, &at);
	if (code)
		return code;
	code = cut_of(d, hb_cut, at, &event, &stop);
	code = code ? code : hb__d_show_cut(d, at, event, stop);
	free(event);
	free(stop);
	return code;
}

/* ---- stop ---- */

static int stop_off(hb_debug *d)
{
	hb_target *targets = hb__alloc((size_t)d->size * sizeof *targets + 1);
	hb_error err = {0};
	size_t n = 0;
	for (int32_t i = 0; i < d->size; i++)
		targets[n++] = (hb_target){.rank = i, .free = true};
	int code = hb_session_stop_at(hb__live_session(d->live), targets, n, &err)
			   ? hb__d_fail(d, HB_EXIT_FINDING, "%s", err.message)
			   : 0;
	free(targets);
	return code;
}

int hb__d_live_event(hb_debug *d, const char *text, int32_t *ret_rank, uint32_t *ret_lane, uint64_t *ret_event)
{
	const char *colon = strrchr(text, ':'), *dot = NULL;
	char *end = NULL;
	*ret_lane = 0;
	*ret_event = colon && colon > text && colon[1] >= '0' && colon[1] <= '9' ? strtoull(colon + 1, &end, 10) : 0;
	for (const char *p = text; colon && p < colon; p++)
		dot = *p == '.' ? p : dot;
	if (!end || *end)
		return hb__d_fail(d, HB_EXIT_USAGE, "'%s' is not an event: write RANK:EVENT, as in 0:17", text);
	/* the name of a program may have dots, too */
	size_t length = (size_t)(colon - text);
	bool whole = hb_session_find(hb__live_session(d->live), text, length) >= 0;
	if (!whole && dot && dot[1] >= '0' && dot[1] <= '9') {
		*ret_lane = (uint32_t)strtoul(dot + 1, &end, 10);
		length = end == colon ? (size_t)(dot - text) : length;
		*ret_lane = end == colon ? *ret_lane : 0;
	}
	*ret_rank = hb__d_find(d, text, length);
	return *ret_rank < 0 ? HB_EXIT_USAGE : 0;
}

/* Without a model nobody knows what an event needs: its own process is all that can be stopped. */
static int stop_one(hb_debug *d, const char *text)
{
	hb_target t = {0};
	hb_error err = {0};
	int32_t rank;
	uint32_t lane;
	uint64_t event;
	int code = hb__d_live_event(d, text, &rank, &lane, &event);
	if (code)
		return code;
	if (d->recording)
		return needs_events(d);
	t = (hb_target){.rank = rank, .lane = lane, .event = event};
	if (hb_session_stop_at(hb__live_session(d->live), &t, 1, &err))
		return hb__d_fail(d, HB_EXIT_FINDING, "%s", err.message);
	hb__d_note(d, "only [%s] stops, after %s: without a recording it is not known what the event depends on",
		hb__d_name(d, rank), text);
	return 0;
}

/* Processes that are behind their stop already: a stop cannot bring them back. */
static void say_passed(hb_debug *d, hb_at at, const uint32_t *event, const hb_stop *stop)
{
	hb_set set;
	char name[HB_EVENT_NAME];
	hb__d_init(d, &set);
	for (uint32_t i = 0; i < hb_model_get_info(d->run.model)->lines; i++) {
		const hb_line *l = &hb_model_lines(d->run.model)[i];
		const hb_proc *p = hb_session_proc(hb__live_session(d->live), hb__live_number(d->live, l->process));
		/* MPI_Init is over before anybody can be held */
		if (p && l->lane < p->nthreads && stop[i] != HB_STOP_END &&
			p->threads[l->lane].event > (event[i] || l->lane ? event[i] : 1))
			hb_set_add(&set, p->rank);
	}
	if (hb_set_count(&set))
		hb__d_note(d, "%s %s already past it: goto %s starts again from the beginning and stops there",
			hb__d_set_name(d, &set), hb_set_count(&set) == 1 ? "is" : "are",
			hb__event_name(&d->run, at, name));
	hb_set_free(&set);
}

int hb__v_stop(hb_debug *d, char *args)
{
	hb_at at;
	uint32_t *event;
	hb_stop *stop;
	char *word = hb__d_word(&args), *text = hb__d_trim(args);
	if (d->one)
		return hb__d_one_only(d, "stop at: use goto");
	if (word && !strcmp(word, "off") && !*text)
		return stop_off(d);
	if (!word || strcmp(word, "at") || !*text)
		return hb__d_fail(d, HB_EXIT_USAGE,
			"use stop at EVENT, as in stop at 0:17, or stop off; to stop processes at once, use halt");
	hb__d_poll(d, 0);
	if (!d->run.model)
		return stop_one(d, text);
	int code = hb__d_event(d, text, &at);
	if (code)
		return code;
	code = cut_of(d, hb_stops, at, &event, &stop);
	/* the process of the event stands there even when that is its last */
	if (!code && stop[at.line] == HB_STOP_END)
		stop[at.line] = HB_STOP_AFTER;
	code = code ? code : hb__live_stop_at(d->live, event, stop);
	if (!code) {
		d->last = at;
		code = hb__d_show_cut(d, at, event, stop);
		say_passed(d, at, event, stop);
	}
	free(event);
	free(stop);
	return code;
}

/* ---- goto, back ---- */

static bool reached(hb_debug *d, hb_at at)
{
	const hb_line *l = &hb_model_lines(d->run.model)[at.line];
	const hb_proc *p = hb_session_proc(hb__live_session(d->live), hb__live_number(d->live, l->process));
	const hb_thread *t = p && l->lane < p->nthreads ? &p->threads[l->lane] : NULL;
	bool never = l->inside && at.event == l->events; /* the recorded call did not return either */
	return t && (t->event == at.event || (never && t->inside && t->event + 1 == at.event));
}

/* Why an event was not reached although all stand: how far its thread came. */
static char *how_far(hb_debug *d, hb_at at)
{
	const hb_line *l = &hb_model_lines(d->run.model)[at.line];
	const hb_process *of = &hb_model_processes(d->run.model)[l->process];
	const hb_proc *p = hb_session_proc(hb__live_session(d->live), hb__live_number(d->live, l->process));
	char name[HB_EVENT_NAME];
	uint64_t event = p && l->lane < p->nthreads ? p->threads[l->lane].event : 0;
	char *far = event ? hb__format("its thread is after %s",
				    hb__event_name(&d->run, (hb_at){at.line, (uint32_t)event}, name))
			  : hb__copy("its thread has made no event yet");
	char *text = hb__format(": %s%s", far,
		of->nlines > 1 ? "; a replay does not decide which thread takes a message of the program itself" : "");
	free(far);
	return text;
}

/* Where the processes are wanted: at the cut of an event, or, where `event` is set, at that cut: of a point. */
struct place {
	hb_at at;
	uint32_t *event;
	hb_stop *stop;
};

static int run_to(hb_debug *d, const struct place *to, const char *name)
{
	bool restarted = false, was = hb__live_running(d->live);
	double begin = hb_seconds();
	hb_set all;
	for (int32_t i = 0; d->at_point && i < d->size; i++)
		d->at_point[i] = false;
	int code = to->event ? hb__live_run_to_cut(d->live, to->at, to->event, to->stop, &restarted)
			     : hb__live_run_to(d->live, to->at, &restarted);
	if (code)
		return code;
	if (restarted || !was)
		hb__d_anew(d);
	hb__d_poll(d, 0);
	d->last = to->at;
	hb__d_init(d, &all);
	hb_set_all(&all);
	for (int32_t i = 0; i < d->size; i++)
		d->frame[i] = 0;
	hb_waited waited = hb__d_wait(d, &all, d->settings.timeout);
	if (waited == HB_WAIT_INTERRUPTED)
		hb__d_stop_running(d, &all);
	bool there = reached(d, to->at);
	double seconds = hb_seconds() - begin;
	if (d->settings.json)
		hb__d_print(d,
			"{\"answer\":\"goto\",\"event\":\"%s\",\"reached\":%s,\"restarted\":%s,\"seconds\":%.3f}\n",
			name, there ? "true" : "false", restarted ? "true" : "false", seconds);
	else if (there)
		hb__d_print(d, "at %s%s, %.2f s%s\n", to->event ? "" : "the cut of ", name, seconds,
			restarted ? " from the beginning" : "");
	hb__d_show(d, &all);
	hb_set_free(&all);
	if (waited == HB_WAITED && there)
		return 0;
	char *far = waited == HB_WAITED ? how_far(d, to->at) : NULL;
	hb__d_fail(d, HB_EXIT_FINDING, "%s was not reached%s", name,
		waited == HB_WAIT_INTERRUPTED ? ": interrupted"
		: waited == HB_WAIT_OVER      ? ": the time limit has passed (set timeout changes it)"
		: waited == HB_WAIT_ENDED     ? ": the job has ended"
					      : far);
	free(far);
	return HB_EXIT_FINDING;
}

int hb__d_goto(hb_debug *d, hb_at at)
{
	char name[HB_EVENT_NAME];
	if (d->one)
		return hb__d_alone_event(d, at);
	hb__event_name(&d->run, at, name);
	if (hb__live_number(d->live, hb_model_lines(d->run.model)[at.line].process) < 0)
		return hb__d_fail(d, HB_EXIT_FINDING,
			"cannot stop at %s: processes that the program itself starts are replayed, but nobody can stop them; cone %s shows what it depends on",
			name, name);
	return run_to(d, &(struct place){.at = at}, name);
}

static int goto_point(hb_debug *d, const char *text)
{
	int code = needs_events(d);
	if (code)
		return code;
	uint32_t lines = hb_model_get_info(d->run.model)->lines, processes;
	struct place to = {
		.event = hb__alloc((lines + 1) * sizeof *to.event), .stop = hb__alloc((lines + 1) * sizeof *to.stop)};
	char *why = NULL, *name = NULL;
	code = hb__find_point(&d->run, text, &to.at, to.event, to.stop, &processes, &why);
	if (code) {
		hb__d_fail(d, code, "%s", why);
	} else {
		name = hb__format("point %s", text + strlen(HB_POINT_PREFIX));
		code = run_to(d, &to, name);
	}
	free(to.event);
	free(to.stop);
	free(why);
	free(name);
	return code;
}

/* Alone a point is this process's event of it. */
static int alone_point(hb_debug *d, const char *text)
{
	char *why = NULL;
	hb_at at;
	int code = needs_events(d);
	code = code ? code : hb__point_event(&d->run, hb__live_process(d->live, 0), text, &at, &why);
	if (why)
		hb__d_fail(d, code, "%s", why);
	free(why);
	return code ? code : hb__d_alone_event(d, at);
}

int hb__d_goto_text(hb_debug *d, const char *text)
{
	hb_at at;
	if (hb__is_point(text))
		return d->one ? alone_point(d, text) : goto_point(d, text);
	int code = hb__d_event(d, text, &at);
	return code ? code : hb__d_goto(d, at);
}

int hb__v_goto(hb_debug *d, char *args)
{
	if (!*args)
		return hb__d_fail(d, HB_EXIT_USAGE,
			"goto takes an event, a bookmark or a point, as in goto 0:17 or goto point:13.E");
	if (d->one && !hb__is_point(args))
		return hb__d_alone_goto(d, args);
	return hb__d_goto_text(d, args);
}

int hb__v_back(hb_debug *d, char *args)
{
	hb_at at = d->last;
	char name[HB_EVENT_NAME];
	long n = *args ? hb__d_number(args) : 1;
	int code = d->one ? 0 : needs_events(d);
	if (code)
		return code;
	if (n < 1)
		return hb__d_fail(d, HB_EXIT_USAGE, "back takes a number of events, but got '%s'", args);
	if (d->one)
		return hb__d_alone_back(d, (uint64_t)n);
	hb__d_poll(d, 0);
	if (!hb__d_here(d, &at) && at.line == HB_NO)
		return hb__d_fail(d, HB_EXIT_FINDING,
			"back needs an event to start from: name one process, as in [0] back, or use goto first");
	if ((long)at.event <= n)
		return hb__d_fail(d, HB_EXIT_FINDING, "cannot go back %ld: there are not that many events before %s", n,
			hb__event_name(&d->run, at, name));
	at.event -= (uint32_t)n;
	return hb__d_goto(d, at);
}

/* ---- next event ---- */

int hb__d_next_event(hb_debug *d, uint32_t times)
{
	hb_session *session = hb__live_session(d->live);
	hb_target *targets = NULL;
	size_t n = 0;
	hb_error err = {0};
	if (d->one)
		return hb__d_alone_next(d, times);
	hb__d_poll(d, 0);
	for (int32_t i = hb_set_next(&d->set, 0); i >= 0; i = hb_set_next(&d->set, i + 1)) {
		const hb_proc *p = hb_session_proc(session, i);
		bool held = false;
		for (uint32_t k = 0; p && k < p->nthreads; k++)
			held |= p->threads[k].held;
		for (uint32_t k = 0; p && hb__d_alive(p) && k < p->nthreads; k++) {
			if ((held && !p->threads[k].held) || p->threads[k].gone)
				continue;
			targets = hb__resize(targets, (n + 1) * sizeof *targets);
			targets[n++] = (hb_target){.rank = i, .lane = k, .event = p->threads[k].event + times};
		}
		d->frame[i] = 0;
		d->at_point[i] = false;
	}
	int code = n ? 0
		     : hb__d_fail(d, HB_EXIT_FINDING, "no process of %s is running or stopped",
			       hb__d_set_name(d, &d->set));
	if (!code && hb_session_stop_at(session, targets, n, &err))
		code = hb__d_fail(d, HB_EXIT_FINDING, "%s", err.message);
	free(targets);
	if (code)
		return code;
	hb__d_plant(d, &d->set);
	hb__d_replies(d, "next");
	hb_session_go(session, &d->set);
	return hb__d_wait_and_show(d, &d->set);
}

/* ---- bookmarks ---- */

int hb__v_bookmark(hb_debug *d, char *args)
{
	char *name = hb__d_word(&args), *text = hb__d_trim(args), event[HB_EVENT_NAME];
	hb_at at = d->last;
	int code = needs_events(d);
	if (code)
		return code;
	if (!name) {
		for (size_t i = 0; i < d->bookmarks.n; i++)
			hb__d_print(d, "%-12s %s\n", d->bookmarks.at[i].name, d->bookmarks.at[i].value);
		return 0;
	}
	if (!hb__d_is_name(name))
		return hb__d_fail(d, HB_EXIT_USAGE, "'%s' cannot be the name of a bookmark", name);
	if (*text)
		code = hb__d_event(d, text, &at);
	else if ((!hb__d_here(d, &at) && at.line == HB_NO) || !at.event)
		code = hb__d_fail(d, HB_EXIT_FINDING,
			"bookmark needs an event, as in bookmark %s 0:17, or one process in the focus", name);
	if (code)
		return code;
	hb__d_put(&d->bookmarks, name, hb__event_name(&d->run, at, event));
	hb__d_note(d, "%s is %s", name, event);
	return 0;
}
