/* Breakpoints and watchpoints of one process. gdb 13 sets a breakpoint in every process that has the place, so the places in
 * others are switched off, and a condition holds it to its process where gdb switches one on again (when a library is loaded). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/grow.h"
#include "session/gdb/inside.h"

/* ---- which ones there are ---- */

static bool add_point(hb_gdb *gdb, int number, int32_t id, bool watch)
{
	if (!HB_GROW(gdb->points, gdb->cap_points, gdb->npoints + 1))
		return false;
	gdb->points[gdb->npoints++] = (struct hb__point){number, id, watch, true};
	return true;
}

static struct hb__point *find_point(hb_gdb *gdb, int number)
{
	for (size_t i = 0; i < gdb->npoints; i++)
		if (gdb->points[i].number == number)
			return &gdb->points[i];
	return NULL;
}

uint32_t hb_gdb_points(const hb_gdb *gdb, int32_t id)
{
	uint32_t n = 0;
	for (size_t i = 0; i < gdb->npoints; i++)
		n += gdb->points[i].id == id;
	return n;
}

void hb__gdb_mute(hb_gdb *gdb, int32_t id, bool off)
{
	for (size_t i = 0; i < gdb->npoints; i++)
		if (gdb->points[i].id == id && gdb->points[i].enabled)
			hb__gdb_send(gdb, "-break-%s %d", off ? "disable" : "enable", gdb->points[i].number);
}

void hb__gdb_watch_anew(hb_gdb *gdb, int32_t id)
{
	for (size_t i = 0; i < gdb->npoints; i++) {
		int number = gdb->points[i].number;
		if (gdb->points[i].id != id || !gdb->points[i].watch || !gdb->points[i].enabled)
			continue;
		hb__gdb_send(gdb, "-break-disable %d", number);
		hb__gdb_send(gdb, "-break-enable %d", number);
	}
}

void hb__gdb_forget_point(hb_gdb *gdb, int number)
{
	struct hb__point *point = find_point(gdb, number);
	if (point)
		*point = gdb->points[--gdb->npoints];
}

void hb__gdb_forget_points(hb_gdb *gdb, int32_t id)
{
	for (size_t i = gdb->npoints; i-- > 0;)
		if (id == -1 || gdb->points[i].id == id) {
			if (!gdb->lost)
				hb__gdb_send(gdb, "-break-delete %d", gdb->points[i].number);
			gdb->points[i] = gdb->points[--gdb->npoints];
		}
}

/* ---- places ---- */

static bool in_group(const struct hb__mi *mi, const struct hb__mi_value *place, int group)
{
	char name[16];
	snprintf(name, sizeof name, "i%d", group);
	const struct hb__mi_value *v = hb__mi_first(mi, hb__mi_get(mi, place, "thread-groups"));
	for (; v; v = hb__mi_next(mi, v))
		if (v->text && !strcmp(v->text, name))
			return true;
	return false;
}

/* The best of a breakpoint's places in a process: one with a source file that is there. */
static bool own_place(const struct hb__mi *mi, const struct hb__mi_value *bkpt, int group, hb_frame *ret_where)
{
	const struct hb__mi_value *list = hb__mi_get(mi, bkpt, "locations"), *v = list ? hb__mi_first(mi, list) : bkpt;
	bool found = false, source = false;
	for (; v; v = list ? hb__mi_next(mi, v) : NULL)
		if (in_group(mi, v, group)) {
			hb_frame where;
			hb__gdb_read_frame(mi, v, &where);
			bool here = where.fullname[0] && !access(where.fullname, R_OK);
			if (!found || (here && !source))
				*ret_where = where;
			found = true;
			source |= here;
		}
	return found;
}

/* Switches off the places of a breakpoint in other processes. The answer holds it. */
static void narrow(hb_gdb *gdb, const struct hb__mi_value *bkpt, int group)
{
	const struct hb__mi *mi = &gdb->answer;
	char *numbers = NULL;
	size_t size = 0;
	FILE *list = open_memstream(&numbers, &size);
	if (!list)
		return;
	for (const struct hb__mi_value *v = hb__mi_first(mi, hb__mi_get(mi, bkpt, "locations")); v;
		v = hb__mi_next(mi, v)) {
		const char *number = hb__mi_text(mi, v, "number"), *enabled = hb__mi_text(mi, v, "enabled");
		if (number && !in_group(mi, v, group) && enabled && *enabled != 'n')
			fprintf(list, " %s", number);
	}
	fclose(list);
	if (numbers && *numbers)
		hb__gdb_send(gdb, "-break-disable%s", numbers);
	free(numbers);
}

void hb__gdb_narrow_all(hb_gdb *gdb)
{
	for (size_t i = 0; i < gdb->npoints; i++) {
		struct hb__inferior *inf = gdb->points[i].watch ? NULL : hb__gdb_find(gdb, gdb->points[i].id);
		if (!inf || hb__gdb_ask(gdb, NULL, "-break-info %d", gdb->points[i].number))
			continue;
		const struct hb__mi *mi = &gdb->answer;
		const struct hb__mi_value *table = hb__mi_get(mi, &mi->values[0], "BreakpointTable");
		const struct hb__mi_value *bkpt = hb__mi_first(mi, hb__mi_get(mi, table, "body"));
		if (bkpt)
			narrow(gdb, bkpt, inf->group);
	}
}

/* ---- conditions ---- */

/* gdb 13 reads a condition in the scope of each place but with the symbols of whichever process is current, which makes it
 * invalid in most. So it is read anew at each hit, by a function of gdb's own that knows the process as well. Its texts are
 * kept by the number of the breakpoint: strings are written differently in each language. */
static hb_status need_python(hb_gdb *gdb, hb_error *err)
{
	static const char function[] = "-interpreter-exec console \"python exec('class HbdbHolds(gdb.Function):\\\\n"
				       " text = {}\\\\n"
				       " def __init__(self): super().__init__(\\\"_hbdb_holds\\\")\\\\n"
				       " def invoke(self, inferior, number):\\\\n"
				       "  if gdb.selected_inferior().num != int(inferior): return False\\\\n"
				       "  return bool(gdb.parse_and_eval(self.text[int(number)]))\\\\n"
				       "HbdbHolds()')\"";
	if (gdb->python)
		return HB_OK;
	if (hb__gdb_ask(gdb, NULL, "%s", function))
		return hb__gdb_fail(
			err, HB_E_SYSTEM, "conditions need a gdb with Python: apt-get install gdb (not gdb-minimal)");
	gdb->python = true;
	return HB_OK;
}

static hb_status keep_text(hb_gdb *gdb, int number, const char *condition, hb_error *err)
{
	size_t n = strlen(condition);
	char *digits = malloc(2 * n + 1);
	if (!digits)
		return hb__gdb_fail(err, HB_E_MEMORY, "out of memory");
	digits[0] = 0;
	for (size_t i = 0; i < n; i++)
		snprintf(digits + 2 * i, 3, "%.2x", (unsigned char)condition[i]);
	hb_status status = hb__gdb_ask(gdb, err,
		"-interpreter-exec console \"python HbdbHolds.text[%d] = bytes.fromhex('%s').decode()\"", number,
		digits);
	free(digits);
	return status;
}

/* Lets gdb read the condition once, for its errors; then sets the one that holds the breakpoint to its process. */
static hb_status set_condition(
	hb_gdb *gdb, const struct hb__inferior *inf, int number, const char *condition, hb_error *err)
{
	if (!condition || !condition[strspn(condition, " \t")])
		return hb__gdb_ask(gdb, err, "-break-condition %d \"$_inferior == %d\"", number, inf->group);
	char *quoted = hb__mi_quote(condition);
	hb_status status = quoted ? need_python(gdb, err) : hb__gdb_fail(err, HB_E_MEMORY, "out of memory");
	if (!status)
		status = hb__gdb_ask(gdb, err, "-break-condition --thread %d %d %s", inf->thread, number, quoted);
	free(quoted);
	if (!status)
		status = keep_text(gdb, number, condition, err);
	if (!status)
		status = hb__gdb_ask(
			gdb, err, "-break-condition %d \"$_hbdb_holds(%d, %d)\"", number, inf->group, number);
	return status;
}

/* ---- setting them ---- */

static hb_status absent(const hb_gdb *gdb) { return gdb->lost ? HB_E_SYSTEM : HB_E_ARGUMENT; }

hb_status hb_gdb_break(hb_gdb *gdb, int32_t id, const hb_gdb_breakpoint *breakpoint, int *ret_number,
	hb_frame *ret_where, hb_error *err)
{
	struct hb__inferior *inf = hb__gdb_process(gdb, id, true, err);
	if (!inf)
		return absent(gdb);
	hb_frame where = {0};
	char *quoted = hb__mi_quote(breakpoint->location);
	hb_status status = quoted ? hb__gdb_ask(gdb, err, "-break-insert --thread %d -d %s -i %u %s", inf->thread,
					    breakpoint->temporary ? "-t" : "", breakpoint->ignore, quoted)
				  : hb__gdb_fail(err, HB_E_MEMORY, "out of memory");
	free(quoted);
	if (status)
		return status;
	const struct hb__mi *mi = &gdb->answer;
	const struct hb__mi_value *bkpt = hb__mi_get(mi, &mi->values[0], "bkpt");
	int number = hb__mi_int(mi, bkpt, "number", 0);
	if (!own_place(mi, bkpt, inf->group, &where))
		status = hb__gdb_fail(err, HB_E_ARGUMENT, "there is no %s in process %d", breakpoint->location, id);
	narrow(gdb, bkpt, inf->group);
	if (!status)
		status = set_condition(gdb, inf, number, breakpoint->condition, err);
	if (!status)
		status = hb__gdb_ask(gdb, err, "-break-enable %d", number);
	if (!status && !add_point(gdb, number, id, false))
		status = hb__gdb_fail(err, HB_E_MEMORY, "out of memory");
	if (status) {
		hb__gdb_send(gdb, "-break-delete %d", number);
		return status;
	}
	hb__gdb_place_frames(gdb, inf, &where, 1, false);
	*ret_number = number;
	if (ret_where)
		*ret_where = where;
	return HB_OK;
}

/* Whether the processor does the watching. Else gdb would go in single steps, a thousand times slower and of one thread only. */
static bool in_hardware(hb_gdb *gdb, int number)
{
	if (hb__gdb_ask(gdb, NULL, "-break-info %d", number))
		return false;
	const struct hb__mi *mi = &gdb->answer;
	const struct hb__mi_value *table = hb__mi_get(mi, &mi->values[0], "BreakpointTable");
	const char *type = hb__mi_text(mi, hb__mi_first(mi, hb__mi_get(mi, table, "body")), "type");
	return type && !strncmp(type, "hw", 2);
}

/* A watchpoint that gdb has made, but could not set, is still there. */
static void delete_strays(hb_gdb *gdb)
{
	int stray[64];
	size_t n = 0;
	if (hb__gdb_ask(gdb, NULL, "-break-list"))
		return;
	const struct hb__mi *mi = &gdb->answer;
	const struct hb__mi_value *table = hb__mi_get(mi, &mi->values[0], "BreakpointTable");
	const struct hb__mi_value *v = hb__mi_first(mi, hb__mi_get(mi, table, "body"));
	for (; v && n < 64; v = hb__mi_next(mi, v)) {
		const char *type = hb__mi_text(mi, v, "type");
		int number = hb__mi_int(mi, v, "number", 0);
		if (type && strstr(type, "watchpoint") && !find_point(gdb, number))
			stray[n++] = number;
	}
	for (size_t i = 0; i < n; i++)
		hb__gdb_ask(gdb, NULL, "-break-delete %d", stray[i]);
}

enum watch_how { VALUE, PLACE, PLACE_IN_C };

/* What gdb answers to a watchpoint of the place of an expression: its command line alone knows these. The number; 0: it is none. */
static int watch_place(hb_gdb *gdb, const struct hb__inferior *inf, uint32_t level, const char *expression,
	enum watch_how how, hb_status *ret, hb_error *err)
{
	char *command = NULL, *quoted = NULL;
	if (asprintf(&command, "%swatch -location %s", how == PLACE_IN_C ? "with language c -- " : "", expression) <
			0 ||
		!(quoted = hb__mi_quote(command))) {
		free(command);
		*ret = hb__gdb_fail(err, HB_E_MEMORY, "out of memory");
		return 0;
	}
	hb__gdb_collect(gdb, true);
	*ret = hb__gdb_ask(gdb, err, "-interpreter-exec --thread %d --frame %u console %s", inf->thread, level, quoted);
	hb__gdb_collect(gdb, false);
	free(command);
	free(quoted);
	const char *number = *ret || !gdb->said_n ? NULL : strstr(gdb->said, "atchpoint ");
	return number ? atoi(number + 10) : 0;
}

static int watch(hb_gdb *gdb, const struct hb__inferior *inf, uint32_t level, const char *expression, hb_status *ret,
	hb_error *err)
{
	char *quoted = hb__mi_quote(expression);
	const struct hb__mi *mi = &gdb->answer;
	*ret = quoted ? hb__gdb_ask(gdb, err, "-break-watch --thread %d --frame %u %s", inf->thread, level, quoted)
		      : hb__gdb_fail(err, HB_E_MEMORY, "out of memory");
	free(quoted);
	return *ret ? 0 : hb__mi_int(mi, hb__mi_get(mi, &mi->values[0], "wpt"), "number", 0);
}

static hb_status set_watch(hb_gdb *gdb, int32_t id, uint32_t level, const char *expression, enum watch_how how,
	int *ret_number, hb_error *err)
{
	struct hb__inferior *inf = hb__gdb_process(gdb, id, true, err);
	hb_status status;
	if (!inf)
		return absent(gdb);
	/* set at once, so that what the processor cannot do is an error here, not when the process is to go on */
	hb__gdb_send(gdb, "-gdb-set breakpoint always-inserted on");
	int number = how == VALUE ? watch(gdb, inf, level, expression, &status, err)
				  : watch_place(gdb, inf, level, expression, how, &status, err);
	const struct hb__mi *mi = &gdb->answer;
	const char *why = status == HB_E_ARGUMENT ? hb__mi_text(mi, &mi->values[0], "msg") : NULL;
	bool unable = (why && strstr(why, "hardware")) || (!status && !number);
	if (number && !in_hardware(gdb, number))
		unable = true;
	else if (number && !add_point(gdb, number, id, true))
		status = hb__gdb_fail(err, HB_E_MEMORY, "out of memory");
	if (unable)
		status = hb__gdb_fail(err, HB_E_ARGUMENT,
			"the processor cannot watch %s: at most four places of 8 bytes at a time in each process",
			expression);
	if (status)
		delete_strays(gdb);
	hb__gdb_send(gdb, "-gdb-set breakpoint always-inserted off");
	if (!status)
		*ret_number = number;
	return status;
}

hb_status hb_gdb_watch(hb_gdb *gdb, int32_t id, uint32_t level, const char *expression, int *ret_number, hb_error *err)
{
	return set_watch(gdb, id, level, expression, VALUE, ret_number, err);
}

hb_status hb_gdb_watch_place(
	hb_gdb *gdb, int32_t id, uint32_t level, const char *expression, bool as_c, int *ret_number, hb_error *err)
{
	return set_watch(gdb, id, level, expression, as_c ? PLACE_IN_C : PLACE, ret_number, err);
}

static hb_status known_point(hb_gdb *gdb, int number, hb_error *err)
{
	while (hb__gdb_take(gdb, 0))
		;
	if (gdb->lost)
		return hb__gdb_fail(err, HB_E_SYSTEM, "gdb has ended, so no process is attached any more");
	return find_point(gdb, number) ? HB_OK : hb__gdb_fail(err, HB_E_ARGUMENT, "there is no breakpoint %d", number);
}

hb_status hb_gdb_delete(hb_gdb *gdb, int number, hb_error *err)
{
	hb_status status = known_point(gdb, number, err);
	if (status)
		return status;
	hb__gdb_forget_point(gdb, number);
	return hb__gdb_ask(gdb, err, "-break-delete %d", number);
}

hb_status hb_gdb_enable(hb_gdb *gdb, int number, bool enable, hb_error *err)
{
	hb_status status = known_point(gdb, number, err);
	if (status)
		return status;
	find_point(gdb, number)->enabled = enable;
	return hb__gdb_ask(gdb, err, "-break-%s %d", enable ? "enable" : "disable", number);
}
