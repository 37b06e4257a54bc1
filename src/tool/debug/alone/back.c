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

/* Watches where the address was stored to which the function called by this frame returns: that was the call. Functions of libraries without line
 * numbers gdb itself would not find the beginning of. They may read that address, too, and each time that they did is a stop. Its number; 0 after having
 * said why there is none. *ret_stack: the stack pointer of the frame, and where it stands before the call. */
static int watch_call(hb_debug *d, hb_gdb *gdb, uint32_t level, uint64_t *ret_stack)
{
	hb_error err = {0};
	char *stack = NULL, *answer = NULL;
	int number = 0;
	if (!hb_gdb_command(gdb, 0, level, "output/x $sp", &stack, &err) &&
		!hb_gdb_command(
			gdb, 0, level, "with language c -- awatch -location *(long *)($sp - 8)", &answer, &err)) {
		const char *word = strstr(answer, "watchpoint ");
		*ret_stack = strtoull(stack, NULL, 0);
		number = word ? atoi(word + 11) : 0;
	}
	if (!number)
		hb__d_fail(d, HB_EXIT_FINDING, "%s", answer ? answer : err.message);
	free(stack);
	free(answer);
	return number;
}

static bool stands_at(hb_gdb *gdb, uint64_t stack)
{
	char *now = NULL;
	bool same = !hb_gdb_command(gdb, 0, 0, "output/x $sp", &now, NULL) && strtoull(now, NULL, 0) == stack;
	free(now);
	return same;
}

/* Back to where this frame made its call (*ret_arrived), or to a point of the user that comes first. 0, or a code after having said why not. */
static int back_to_call(hb_debug *d, hb_gdb *gdb, uint32_t level, bool *ret_arrived)
{
	enum { READS_MOST = 1000 };
	const hb_proc *p = hb_session_proc(hb__live_session(d->live), 0);
	uint64_t stack;
	int number = watch_call(d, gdb, level, &stack), code = number ? 0 : HB_EXIT_FINDING;
	bool going = number != 0;
	*ret_arrived = false;
	for (int i = 0; i < READS_MOST && going && !code; i++) {
		code = hb__d_go_and_wait(d, HB_GDB_BACK_CONTINUE, 0, 1, RETURN_S);
		bool watch = p->broken.reason == HB_GDB_WATCHPOINT && p->broken.number == number;
		*ret_arrived = !code && p->life == HB_LIFE_BROKEN && watch && stands_at(gdb, stack);
		going = p->life == HB_LIFE_BROKEN && watch && !*ret_arrived;
	}
	char *drop = hb__format("delete %d", number), *answer = NULL;
	if (number)
		hb_gdb_command(gdb, 0, 0, drop, &answer, NULL);
	free(drop);
	free(answer);
	return code;
}

/* A step means a line of the program: out of hbdb's and MPI's frames, to where the program called them. False: it said why not. */
static bool back_in_program(hb_debug *d, hb_gdb *gdb)
{
	long level = library_frames(d, gdb);
	if (level < 1)
		return !level;
	hb__d_mute(d, gdb, true);
	bool arrived;
	int code = back_to_call(d, gdb, (uint32_t)level, &arrived);
	hb__d_mute(d, gdb, false);
	return !code && arrived;
}

/* Back to where this frame was called. gdb does so with the innermost one only, whichever is chosen. */
static int finish_back(hb_debug *d, hb_gdb *gdb, uint32_t level)
{
	hb_frame *frames = NULL;
	size_t n;
	hb_error err = {0};
	if (!level)
		return hb__d_go_and_wait(d, HB_GDB_BACK_FINISH, 0, 1, d->settings.timeout);
	if (hb_gdb_stack(gdb, 0, level + 2, &frames, &n, &err))
		return hb__d_fail(d, HB_EXIT_FINDING, "%s", err.message);
	free(frames);
	if (n < level + 2)
		return hb__d_fail(d, HB_EXIT_FINDING, "reverse-finish: nothing has called the outermost frame");
	bool arrived;
	int code = back_to_call(d, gdb, level + 1, &arrived);
	if (code || !arrived)
		return code;
	/* it is no watchpoint of the user's that has stopped it */
	code = hb__d_go_and_wait(d, HB_GDB_STEPI, 0, 1, RETURN_S);
	return code ? code : hb__d_go_and_wait(d, HB_GDB_BACK_STEPI, 0, 1, RETURN_S);
}

/* A step backwards from within a line ends at the line's beginning; gdb 16 goes on from there to the line before, so that what was before
 * a call is never seen. A point of ours stands there meanwhile, for this frame: those that the line calls are further down the stack. Its number; 0:
 * it stands at a beginning, or nobody knows. */
static int plant_beginning(hb_gdb *gdb)
{
	static const char question[] =
		"python s = gdb.newest_frame().find_sal(); f = gdb.newest_frame(); print(s.pc if s.line and s.pc < f.pc() else 0)";
	char *start = NULL, *stack = NULL, *answer = NULL, *plant = NULL;
	int number = 0;
	if (!hb_gdb_command(gdb, 0, 0, question, &start, NULL) && strtoull(start, NULL, 10) &&
		!hb_gdb_command(gdb, 0, 0, "output/x $sp", &stack, NULL)) {
		plant = hb__format("with language c -- tbreak *%llu if (unsigned long)$sp >= %llu",
			strtoull(start, NULL, 10), strtoull(stack, NULL, 0));
		const char *word =
			hb_gdb_command(gdb, 0, 0, plant, &answer, NULL) ? NULL : strstr(answer, "reakpoint ");
		number = word ? atoi(word + 10) : 0;
	}
	free(start);
	free(stack);
	free(answer);
	free(plant);
	return number;
}

/* Lines backwards. */
static int lines_back(hb_debug *d, hb_gdb *gdb, hb_gdb_step how, uint32_t times)
{
	const hb_proc *p = hb_session_proc(hb__live_session(d->live), 0);
	int number = plant_beginning(gdb);
	int code = hb__d_go_and_wait(d, how, 0, number ? 1 : times, d->settings.timeout);
	if (!number || code)
		return code;
	bool there = p->life == HB_LIFE_BROKEN && p->broken.reason == HB_GDB_BREAKPOINT && p->broken.number == number;
	char *drop = hb__format("delete %d", number), *answer = NULL;
	if (!there)
		hb_gdb_command(gdb, 0, 0, drop, &answer, NULL);
	free(drop);
	free(answer);
	if (there && times == 1) { /* it is no point of the user's that has stopped it */
		code = hb__d_go_and_wait(d, HB_GDB_STEPI, 0, 1, RETURN_S);
		return code ? code : hb__d_go_and_wait(d, HB_GDB_BACK_STEPI, 0, 1, RETURN_S);
	}
	bool ended = p->life == HB_LIFE_BROKEN && (there || p->broken.reason == HB_GDB_STEPPED);
	return ended && times > 1 ? hb__d_go_and_wait(d, how, 0, times - 1, d->settings.timeout) : 0;
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
	code = how == HB_GDB_BACK_FINISH ? finish_back(d, gdb, level)
	       : lines                   ? lines_back(d, gdb, how, (uint32_t)n)
					 : hb__d_go_and_wait(d, how, level, (uint32_t)n, d->settings.timeout);
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
