/* run, kill, go, halt, cont, wait, step, stepi, next, detach, status */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "../alone/alone.h"
#include "../debug.h"

#define RETURN_S 20.0 /* for a held process to come back to the program */
#define HALT_S 5.0

static int must_run(hb_debug *d)
{
	return hb__live_running(d->live) ? 0 : hb__d_fail(d, HB_EXIT_FINDING, "no job is running; run starts it");
}

static int no_operands(hb_debug *d, const char *verb, const char *args)
{
	return *args ? hb__d_fail(d, HB_EXIT_USAGE, "%s takes no '%s'; write a set before the command: [0:3] %s", verb,
			       args, verb)
		     : 0;
}

int hb__v_run(hb_debug *d, char *args)
{
	int code = no_operands(d, "run", args);
	code = code ? code : hb__d_start(d);
	if (code)
		return code;
	hb_set all;
	hb__d_init(d, &all);
	hb_set_all(&all);
	hb__d_show(d, &all);
	hb_set_free(&all);
	return 0;
}

int hb__v_kill(hb_debug *d, char *args)
{
	int code = no_operands(d, "kill", args);
	code = code ? code : must_run(d);
	if (!code && hb__live_attached(d->live))
		code = hb__d_fail(d, HB_EXIT_FINDING,
			"the job was started without hbdb, so hbdb does not end it; quit leaves it running");
	if (!code) {
		hb__live_end(d->live);
		hb__d_poll(d, 0);
		d->ended_told = true;
		hb__d_note(d, "the job has been ended");
	}
	return code;
}

int hb__v_status(hb_debug *d, char *args)
{
	int code = no_operands(d, "status", args);
	if (!code) {
		hb__d_poll(d, 0);
		hb__d_show(d, &d->set);
		hb__d_show_hosts(d, &d->set);
	}
	return code;
}

/* ---- going on ---- */

/* Those of the set that may go: not those that wait at a barrier. */
static void released(hb_debug *d, hb_set *ret)
{
	hb__d_init(d, ret);
	hb_set_copy(ret, &d->set);
	for (int32_t i = hb_set_next(&d->set, 0); i >= 0; i = hb_set_next(&d->set, i + 1)) {
		hb_set missing;
		int number;
		if (!hb__d_at_barrier(d, i, &missing, &number))
			continue;
		hb_set_remove(ret, i);
		hb__d_reply(d, i, false, NULL, "waits at barrier %d for %s", number, hb__d_set_name(d, &missing));
		hb_set_free(&missing);
	}
	if (d->nreplies)
		hb__d_replies(d, "barrier");
}

/* Lets the set go on. 0, or a code when nobody can. */
static int let_go(hb_debug *d)
{
	hb_set set;
	hb_session *session = hb__live_session(d->live);
	int code = must_run(d);
	if (code)
		return code;
	hb__d_poll(d, 0);
	released(d, &set);
	hb__d_plant(d, &set);
	code = hb__d_replies(d, "go");
	int before = 0, stopped = 0;
	for (int32_t i = hb_set_next(&set, 0); i >= 0; i = hb_set_next(&set, i + 1)) {
		const hb_proc *p = hb_session_proc(session, i);
		before += p && (hb__d_alive(p) || p->life == HB_LIFE_ABSENT);
		stopped += p && hb__d_stopped(p);
		d->frame[i] = 0;
		d->at_point[i] = false;
	}
	int moved = hb_session_go(session, &set);
	if (!code && !before && hb_set_count(&set))
		code = hb__d_fail(d, HB_EXIT_FINDING, "no process of %s is left; run starts the job again",
			hb__d_set_name(d, &set));
	else if (!code && !moved && stopped)
		code = hb__d_fail(
			d, HB_EXIT_FINDING, "no process of %s can go on; status shows why", hb__d_set_name(d, &set));
	hb_set_free(&set);
	return code;
}

int hb__v_go(hb_debug *d, char *args)
{
	int code = no_operands(d, "go", args);
	return code ? code : let_go(d);
}

int hb__v_cont(hb_debug *d, char *args)
{
	int code = no_operands(d, "cont", args);
	code = code ? code : let_go(d);
	return code ? code : hb__d_wait_and_show(d, &d->set);
}

/* In a live run nobody knows which processes will come. */
static int wait_for_process(hb_debug *d, const char *name)
{
	hb_session *session = hb__live_session(d->live);
	double end = hb_seconds() + d->settings.timeout;
	int code = must_run(d);
	if (code)
		return code;
	for (int32_t number; (number = hb_session_find(session, name, strlen(name))) < 0 ||
			     hb_session_proc(session, number)->life == HB_LIFE_ABSENT;) {
		if (!hb__live_running(d->live) || (number < 0 && d->recording))
			return hb__d_find(d, name, strlen(name)) < 0
				       ? HB_EXIT_USAGE
				       : hb__d_fail(d, HB_EXIT_FINDING, "the job has ended, and %s has not come", name);
		if (hb__d_interrupted() || (d->settings.timeout > 0 && hb_seconds() > end))
			return hb__d_fail(d, HB_EXIT_FINDING, "%s has not come yet%s", name,
				hb__d_signal() ? ": interrupted" : " (set timeout changes how long to wait)");
		hb__d_poll(d, 20);
	}
	hb_set_free(&d->set);
	return hb__d_set(d, name, &d->set);
}

int hb__v_wait(hb_debug *d, char *args)
{
	double old = d->settings.timeout;
	if (*args) {
		char *end;
		double seconds = strtod(args, &end);
		if (*end && seconds <= 0) {
			int failed = wait_for_process(d, args);
			if (failed)
				return failed;
		} else if (*end || seconds <= 0)
			return hb__d_fail(d, HB_EXIT_USAGE,
				"wait takes a number of seconds, or the name of a process, but got '%s'", args);
		else
			d->settings.timeout = seconds;
	}
	int code = hb__d_wait_and_show(d, &d->set);
	d->settings.timeout = old;
	return code;
}

int hb__v_halt(hb_debug *d, char *args)
{
	hb_error err = {0};
	int code = no_operands(d, "halt", args);
	code = code ? code : must_run(d);
	if (code)
		return code;
	hb__d_poll(d, 0);
	if (hb_session_halt(hb__live_session(d->live), &d->set, &err))
		code = hb__d_fail(d, HB_EXIT_FINDING, "%s", err.message);
	hb__d_wait(d, &d->set, HALT_S);
	hb__d_show(d, &d->set);
	return code;
}

int hb__v_detach(hb_debug *d, char *args)
{
	int code = no_operands(d, "detach", args);
	if (!code && d->one)
		code = hb__d_fail(
			d, HB_EXIT_FINDING, "a process alone runs under gdb only: kill ends it, run starts it again");
	if (code)
		return code;
	hb_session_detach(hb__live_session(d->live), &d->set);
	for (int32_t i = hb_set_next(&d->set, 0); i >= 0; i = hb_set_next(&d->set, i + 1)) {
		d->gdb[i] = NULL;
		for (size_t k = 0; k < d->npoints; k++)
			d->points[k].planted[i] = 0;
	}
	return 0;
}

/* ---- steps ---- */

/* Brings a process into the program's own code, where a step means a line; false: it answered why that is not possible. One that is alone steps
 * by instructions wherever it stands, as it does backwards, but at an event, where it stands as one that is held. */
static bool in_program(hb_debug *d, int32_t rank, hb_gdb_step how, hb_returned *ret)
{
	hb_session *session = hb__live_session(d->live);
	const hb_proc *p = hb_session_proc(session, rank);
	hb_error err = {0};
	hb_gdb *gdb;
	hb_set missing;
	int number;
	if (!p || !hb__d_alive(p)) {
		char *text = hb__d_state(d, rank, NULL);
		hb__d_reply(d, rank, true, NULL, "%s", text);
		free(text);
		return false;
	}
	if (p->life == HB_LIFE_RUNNING) {
		hb__d_reply(d, rank, true, NULL, "is running; halt stops it");
		return false;
	}
	if (hb__d_at_barrier(d, rank, &missing, &number)) {
		hb__d_reply(d, rank, true, NULL, "waits at barrier %d for %s", number, hb__d_set_name(d, &missing));
		hb_set_free(&missing);
		return false;
	}
	bool held = false;
	for (uint32_t i = 0; i < p->nthreads; i++)
		held |= p->threads[i].held;
	bool instruction = how == HB_GDB_STEPI || how == HB_GDB_NEXTI;
	held |= p->alone && (!instruction || hb__d_at_event(p)); /* it may stand in the library, too */
	*ret = HB_RETURN_NONE;
	if (hb_session_gdb(session, rank, &gdb, &err) ||
		(held && hb_session_return(session, rank, RETURN_S, ret, &err))) {
		hb__d_reply(d, rank, true, NULL, "%s", err.message);
		return false;
	}
	d->gdb[rank] = gdb;
	return true;
}

/* The number of gdb for the chosen frame, when a step is to leave it. */
static bool level_of(hb_debug *d, int32_t rank, hb_gdb_step how, uint32_t *ret)
{
	hb_frame frame;
	*ret = 0;
	if (how != HB_GDB_FINISH)
		return true;
	if (!hb__d_chosen(d, rank, d->gdb[rank], &frame))
		return false;
	*ret = frame.level;
	return true;
}

/* How many of these steps are still to be taken when it has come back to the program. */
static uint32_t left_of(uint32_t times, hb_gdb_step how, hb_returned returned)
{
	bool lines = how == HB_GDB_STEP || how == HB_GDB_NEXT || how == HB_GDB_UNTIL;
	return returned == HB_RETURN_STOPPED ? 0 : times - (lines && returned == HB_RETURN_LINE);
}

static int take_steps(hb_debug *d, hb_gdb_step how, uint32_t times)
{
	hb_session *session = hb__live_session(d->live);
	int code = must_run(d);
	if (code)
		return code;
	hb__d_poll(d, 0);
	hb__d_plant(d, &d->set);
	hb_set going;
	hb__d_init(d, &going);
	for (int32_t i = hb_set_next(&d->set, 0); i >= 0; i = hb_set_next(&d->set, i + 1)) {
		uint32_t level;
		hb_error err = {0};
		hb_returned returned;
		if (!in_program(d, i, how, &returned) || !level_of(d, i, how, &level))
			continue;
		uint32_t left = left_of(times, how, returned);
		if (left && hb_session_step(session, i, how, level, left, &err))
			hb__d_reply(d, i, true, NULL, "%s", err.message);
		else
			hb_set_add(&going, i);
		d->frame[i] = 0;
		d->at_point[i] = false;
	}
	code = hb__d_replies(d, "step");
	if (hb_set_count(&going)) {
		int waited = hb__d_wait_and_show(d, &going);
		code = code ? code : waited;
	}
	hb_set_free(&going);
	return code;
}

/* The number of times, 1 when it is not told; 0 after having said what is wrong. */
static uint32_t times_of(hb_debug *d, const char *verb, char *args)
{
	long n = *args ? hb__d_number(args) : 1;
	if (n < 1)
		hb__d_fail(d, HB_EXIT_USAGE, "%s takes a number of repetitions, but got '%s'", verb, args);
	return n < 1 ? 0 : (uint32_t)n;
}

static int step(hb_debug *d, char *args, const char *verb, bool instruction, bool over)
{
	hb_d_option options[] = {{"-over", true, NULL}, {"-finish", true, NULL}, {NULL, false, NULL}};
	int code = hb__d_options(args, options);
	uint32_t times = code ? 0 : times_of(d, verb, args);
	over = over || options[0].value;
	bool finish = options[1].value;
	free(options[0].value);
	free(options[1].value);
	if (!times)
		return HB_EXIT_USAGE;
	if (finish && instruction)
		return hb__d_fail(d, HB_EXIT_USAGE, "%s has no -finish", verb);
	return take_steps(d,
		finish        ? HB_GDB_FINISH
		: instruction ? (over ? HB_GDB_NEXTI : HB_GDB_STEPI)
			      : (over ? HB_GDB_NEXT : HB_GDB_STEP),
		times);
}

int hb__d_until(hb_debug *d) { return take_steps(d, HB_GDB_UNTIL, 1); }
int hb__v_step(hb_debug *d, char *args) { return step(d, args, "step", false, false); }
int hb__v_stepi(hb_debug *d, char *args) { return step(d, args, "stepi", true, false); }

int hb__v_next(hb_debug *d, char *args)
{
	if (strncmp(args, "event", 5) || (args[5] && args[5] != ' '))
		return step(d, args, "next", false, true);
	uint32_t times = times_of(d, "next event", hb__d_trim(args + 5));
	if (!times)
		return HB_EXIT_USAGE;
	int code = must_run(d);
	return code ? code : hb__d_next_event(d, times);
}
