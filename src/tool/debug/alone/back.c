/* reverse-continue, reverse-step and the like: backwards inside of events. */
#include <stdlib.h>
#include <string.h>

#include "alone.h"

#define RETURN_S 60.0 /* to leave the library */

int hb__d_need_one(hb_debug *d, const char *verb)
{
	return d->one ? 0
		      : hb__d_fail(d, HB_EXIT_FINDING,
				"%s: only one process alone goes back inside of events: hbdb record --level data, then hbdb debug --alone RANK",
				verb);
}

/* Lets it go and waits until it stands. 0, or a code after having said why it does not. */
int hb__d_go_and_wait(hb_debug *d, hb_gdb_step how, uint32_t level, uint32_t times, double seconds)
{
	hb_error err = {0};
	hb_set all;
	if (hb_session_step(hb__live_session(d->live), 0, how, level, times, &err))
		return hb__d_fail(d, HB_EXIT_FINDING, "%s", err.message);
	d->frame[0] = 0;
	d->at_point[0] = false;
	hb__d_init(d, &all);
	hb_set_all(&all);
	hb_waited waited = hb__d_wait(d, &all, seconds);
	if (waited == HB_WAIT_INTERRUPTED)
		hb__d_stop_running(d, &all);
	hb_set_free(&all);
	return waited == HB_WAITED
		       ? 0
		       : hb__d_fail(d, HB_EXIT_FINDING, "%s",
				 waited == HB_WAIT_INTERRUPTED ? "interrupted"
				 : waited == HB_WAIT_OVER      ? "the time limit has passed (set timeout changes it)"
							       : "the process has ended");
}

static int show(hb_debug *d)
{
	hb_set all;
	hb__d_init(d, &all);
	hb_set_all(&all);
	int code = hb__d_show(d, &all);
	hb_set_free(&all);
	return code;
}

/* The user's own points are not in the way meanwhile. */
void hb__d_mute(hb_debug *d, hb_gdb *gdb, bool off)
{
	for (size_t i = 0; i < d->npoints; i++)
		if (d->points[i].planted[0] > 0 && !d->points[i].disabled)
			hb_gdb_enable(gdb, d->points[i].planted[0], !off, NULL);
}

/* How many frames of libraries are within the innermost one of the program; -1 after having said why nobody knows. */
static long library_frames(hb_debug *d, hb_gdb *gdb)
{
	hb_frames frames;
	hb_error err = {0};
	if (!hb__d_frames(d, 0, gdb, &frames, &err)) {
		hb__d_fail(d, HB_EXIT_FINDING, "%s", err.message);
		return -1;
	}
	long level = frames.nown ? (long)frames.all[frames.own[0]].level : 0;
	hb__d_frames_free(&frames);
	return level;
}

/* A step means a line of the program: out of hbdb's and MPI's frames, to where the program called them. That is where the address to return
 * to was stored: functions of libraries without line numbers gdb itself would not find the beginning of. They may read that address, too, and
 * each time that they did is a stop. False: it said why not. */
static bool back_in_program(hb_debug *d, hb_gdb *gdb)
{
	enum { READS_MOST = 1000 };
	hb_error err = {0};
	char *answer = NULL;
	long level = library_frames(d, gdb);
	if (level < 1)
		return !level;
	if (hb_gdb_command(
		    gdb, 0, (uint32_t)level, "with language c -- awatch -location *(long *)($sp - 8)", &answer, &err)) {
		hb__d_fail(d, HB_EXIT_FINDING, "%s", err.message);
		return false;
	}
	const char *number = strstr(answer, "watchpoint ");
	char *drop = hb__format("delete %d", number ? atoi(number + 11) : 0);
	free(answer);
	hb__d_mute(d, gdb, true);
	int code = 0;
	for (int i = 0; i < READS_MOST && !code && level > 0; i++) {
		code = hb__d_go_and_wait(d, HB_GDB_BACK_CONTINUE, 0, 1, RETURN_S);
		level = code ? level : library_frames(d, gdb);
	}
	hb__d_mute(d, gdb, false);
	if (number && !hb_gdb_command(gdb, 0, 0, drop, &answer, NULL))
		free(answer);
	free(drop);
	return !code && !level;
}

hb_gdb *hb__d_gdb_of(hb_debug *d)
{
	hb_error err = {0};
	if (!hb__d_standing(d))
		return NULL;
	hb__d_plant(d, &d->set);
	hb__d_replies(d, "back");
	if (hb_session_gdb(hb__live_session(d->live), 0, &d->gdb[0], &err)) {
		hb__d_fail(d, HB_EXIT_FINDING, "%s", err.message);
		return NULL;
	}
	return d->gdb[0];
}

static int reverse(hb_debug *d, char *args, const char *verb, hb_gdb_step how)
{
	int code = hb__d_need_one(d, verb);
	long n = *args ? hb__d_number(args) : 1;
	uint32_t level = 0;
	if (code)
		return code;
	if (n < 1 || (n > 1 && (how == HB_GDB_BACK_CONTINUE || how == HB_GDB_BACK_FINISH)))
		return hb__d_fail(d, HB_EXIT_USAGE, "%s takes %s, but got '%s'", verb,
			n < 1 && how != HB_GDB_BACK_CONTINUE && how != HB_GDB_BACK_FINISH ? "a number of repetitions"
											  : "nothing",
			args);
	hb_gdb *gdb = hb__d_gdb_of(d);
	bool lines = how == HB_GDB_BACK_STEP || how == HB_GDB_BACK_NEXT;
	if (!gdb || (lines && !back_in_program(d, gdb)))
		return HB_EXIT_FINDING;
	if (how == HB_GDB_BACK_FINISH) {
		hb_frame frame;
		if (!hb__d_chosen(d, 0, gdb, &frame))
			return hb__d_replies(d, verb);
		level = frame.level;
	}
	code = hb__d_go_and_wait(d, how, level, (uint32_t)n, d->settings.timeout);
	int shown = show(d);
	return code ? code : shown;
}

int hb__v_reverse_continue(hb_debug *d, char *args)
{
	return reverse(d, args, "reverse-continue", HB_GDB_BACK_CONTINUE);
}
int hb__v_reverse_step(hb_debug *d, char *args) { return reverse(d, args, "reverse-step", HB_GDB_BACK_STEP); }
int hb__v_reverse_next(hb_debug *d, char *args) { return reverse(d, args, "reverse-next", HB_GDB_BACK_NEXT); }
int hb__v_reverse_finish(hb_debug *d, char *args) { return reverse(d, args, "reverse-finish", HB_GDB_BACK_FINISH); }
int hb__v_reverse_stepi(hb_debug *d, char *args) { return reverse(d, args, "reverse-stepi", HB_GDB_BACK_STEPI); }
int hb__v_reverse_nexti(hb_debug *d, char *args) { return reverse(d, args, "reverse-nexti", HB_GDB_BACK_NEXTI); }
