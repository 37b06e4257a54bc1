/* goto, back, next event of one process alone. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "alone.h"

static bool interrupted(void *user)
{
	(void)user;
	return hb__d_interrupted();
}

static void say_where(hb_debug *d, const char *name, bool there, double seconds)
{
	if (d->settings.json)
		hb__d_print(d,
			"{\"answer\":\"goto\",\"event\":\"%s\",\"reached\":%s,\"restarted\":false,\"seconds\":%.6f}\n",
			name, there ? "true" : "false", seconds);
	else if (there)
		hb__d_print(d, "at %s, %.1f ms\n", name, seconds * 1e3);
}

int hb__d_jump(hb_debug *d, const char *where, const char *name)
{
	hb_session *session = hb__live_session(d->live);
	bool end = !strcmp(where, "END");
	int code = hb__live_running(d->live) ? 0 : hb__d_start(d);
	const hb_proc *p = code ? NULL : hb__d_standing(d);
	hb_error err = {0};
	hb_set all;
	if (!p)
		return code ? code : HB_EXIT_FINDING;
	d->frame[0] = 0;
	d->at_point[0] = false;
	double begin = hb_seconds();
	if (hb_session_jump(session, where, interrupted, NULL, &err))
		return hb__d_fail(d, HB_EXIT_FINDING, "%s", err.message);
	double seconds = hb_seconds() - begin;
	bool cut_short = hb__d_signal() == SIGINT;
	hb__d_poll(d, 0);
	bool there = end ? p->stand.end : p->stand.event == strtoull(where, NULL, 10) && hb__d_at_event(p);
	say_where(d, name, there, seconds);
	hb__d_init(d, &all);
	hb_set_all(&all);
	hb__d_show(d, &all);
	hb_set_free(&all);
	return there ? 0
		     : hb__d_fail(d, HB_EXIT_FINDING, "%s was not reached%s", name, cut_short ? ": interrupted" : "");
}

/* Into the one that it never returned from: that is where it ends. MPI_Init is the first, for it begins when that is over. */
static int jump_to(hb_debug *d, uint64_t event, const char *name)
{
	char where[24] = "END";
	hb_at at;
	const hb_line *l = d->run.model && hb__d_stands_at(d, 0, &at) ? &hb_model_lines(d->run.model)[at.line] : NULL;
	if (!l || !l->inside || event != l->events)
		snprintf(where, sizeof where, "%" PRIu64, event ? event : 1);
	return hb__d_jump(d, where, name);
}

int hb__d_alone_goto(hb_debug *d, char *args)
{
	hb_at at;
	if (!strcasecmp(args, "END"))
		return hb__d_jump(d, "END", "the end");
	if (!strcasecmp(args, "START"))
		return hb__d_jump(d, "1", "the start");
	int code = hb__d_event(d, args, &at);
	return code ? code : hb__d_alone_event(d, at);
}

int hb__d_alone_event(hb_debug *d, hb_at at)
{
	char name[HB_EVENT_NAME];
	const hb_line *l = &hb_model_lines(d->run.model)[at.line];
	hb__event_name(&d->run, at, name);
	if (hb__live_number(d->live, l->process))
		return hb__d_fail(
			d, HB_EXIT_FINDING, "%s is of another process: [%s] is alone", name, hb__d_name(d, 0));
	if (l->lane)
		return hb__d_fail(d, HB_EXIT_FINDING,
			"%s is of another thread: the events of the first one can be gone to", name);
	d->last = at;
	return jump_to(d, at.event, name);
}

int hb__d_alone_back(hb_debug *d, uint64_t n)
{
	const hb_proc *p = hb__d_standing(d);
	char where[24];
	if (!p)
		return HB_EXIT_FINDING;
	/* behind an event that one is the previous */
	uint64_t event = p->stand.event + !hb__d_at_event(p);
	char *name = hb__d_event_name(d, 0, 0, event > n ? event - n : p->stand.event);
	snprintf(where, sizeof where, "%" PRIu64, event - n);
	int code = event > n ? hb__d_jump(d, where, name)
			     : hb__d_fail(d, HB_EXIT_FINDING,
				       "cannot go back %" PRIu64 ": there are not that many events before %s", n, name);
	free(name);
	return code;
}

int hb__d_alone_next(hb_debug *d, uint64_t n)
{
	const hb_proc *p = hb__d_standing(d);
	if (!p)
		return HB_EXIT_FINDING;
	char *name = hb__d_event_name(d, 0, 0, p->stand.event + n);
	int code = jump_to(d, p->stand.event + n, name);
	free(name);
	return code;
}
