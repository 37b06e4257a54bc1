/* break, barrier, watch, actions, enable, disable, delete */
#include <stdlib.h>
#include <string.h>

#include "../debug.h"

static const char *const kinds[] = {"break", "barrier", "watch"};

void hb__d_free_point(hb_action_point *p)
{
	free(p->what);
	free(p->condition);
	free(p->planted);
	hb_set_free(&p->set);
	hb_set_free(&p->stop);
	hb_set_free(&p->reached);
}

static hb_action_point *find(hb_debug *d, int number)
{
	for (size_t i = 0; i < d->npoints; i++)
		if (d->points[i].number == number)
			return &d->points[i];
	return NULL;
}

void hb__d_drop_point(hb_debug *d, hb_action_point *p)
{
	hb__d_free_point(p);
	memmove(p, p + 1, (size_t)(d->points + --d->npoints - p) * sizeof *p);
}

/* ---- making ---- */

/* A new point for the set of the command, planted where that is possible now. */
static int add(hb_debug *d, hb_action_point point)
{
	point.number = ++d->last_point;
	point.planted = hb__alloc(((size_t)d->size + 1) * sizeof *point.planted);
	hb__d_init(d, &point.set);
	hb_set_copy(&point.set, &d->set);
	hb__d_init(d, &point.reached);
	d->points = hb__resize(d->points, (d->npoints + 1) * sizeof *d->points);
	d->points[d->npoints++] = point;
	hb__d_poll(d, 0);
	hb__d_plant_one(d, &d->points[d->npoints - 1], &d->set);
	bool any = false;
	for (int32_t i = hb_set_next(&d->set, 0); i >= 0; i = hb_set_next(&d->set, i + 1))
		any = any || point.planted[i] >= 0;
	int code = hb__d_replies(d, kinds[point.kind]);
	if (!any) { /* no process took it: it is wrong, not early */
		hb__d_drop_point(d, &d->points[d->npoints - 1]);
		d->last_point--;
		return HB_EXIT_FINDING;
	}
	return code;
}

static int read_count(hb_debug *d, const char *text, uint32_t *ret)
{
	long n = text ? hb__d_number(text) : 1;
	*ret = n < 1 ? 0 : (uint32_t)n;
	return n < 1 ? hb__d_fail(d, HB_EXIT_USAGE, "-count takes a number of 1 or more, but got '%s'", text) : 0;
}

/* `break f if x > 1` is what gdb takes. */
static void split_condition(char *args, char **condition)
{
	char *at = strstr(args, " if ");
	if (!at || *condition)
		return;
	*condition = hb__copy(hb__d_trim(at + 4));
	*at = 0;
}

static int make(hb_debug *d, char *args, hb_point_kind kind, bool once)
{
	hb_d_option options[] = {
		{"-if", false, NULL}, {"-count", false, NULL}, {"-stop", false, NULL}, {NULL, false, NULL}};
	hb_action_point point = {.kind = kind, .once = once};
	int code = hb__d_options(args, options);
	code = code ? code : read_count(d, options[1].value, &point.count);
	hb__d_init(d, &point.stop);
	if (!code && options[2].value) {
		hb_set_free(&point.stop);
		code = hb__d_set(d, options[2].value, &point.stop);
	}
	point.condition = options[0].value;
	split_condition(args, &point.condition);
	char *location = hb__d_trim(args);
	if (!code && !*location)
		code = hb__d_fail(
			d, HB_EXIT_USAGE, "%s takes a place in the source, as in farm.c:71 or a function", kinds[kind]);
	free(options[1].value);
	free(options[2].value);
	if (code) {
		free(point.condition);
		hb_set_free(&point.stop);
		return code;
	}
	point.what = hb__copy(location);
	return add(d, point);
}

int hb__v_break(hb_debug *d, char *args) { return make(d, args, HB_POINT_BREAK, false); }
int hb__v_tbreak(hb_debug *d, char *args) { return make(d, args, HB_POINT_BREAK, true); }
int hb__v_barrier(hb_debug *d, char *args)
{
	return d->one ? hb__d_one_only(d, "barrier") : make(d, args, HB_POINT_BARRIER, false);
}

/* until LOCATION: a point for the way there, which is taken away again. */
int hb__v_until(hb_debug *d, char *args)
{
	char nothing[] = "";
	if (!*args)
		return hb__d_until(d);
	d->quiet = true;
	int code = make(d, args, HB_POINT_BREAK, true);
	d->quiet = false;
	if (code)
		return code;
	int number = d->last_point;
	code = hb__v_cont(d, nothing);
	hb_action_point *p = find(d, number);
	if (p) {
		hb__d_change_planted(d, p, -1);
		hb__d_drop_point(d, p);
	}
	d->last_point--;
	int failed = hb__d_replies(d, "until");
	return code ? code : failed;
}

int hb__v_watch(hb_debug *d, char *args)
{
	if (!*args)
		return hb__d_fail(d, HB_EXIT_USAGE, "watch takes an expression, as in watch results");
	hb_action_point point = {.kind = HB_POINT_WATCH, .what = hb__copy(args)};
	hb__d_init(d, &point.stop);
	return add(d, point);
}

/* ---- reaching ---- */

hb_action_point *hb__d_point_of(hb_debug *d, int32_t rank, int number)
{
	for (size_t i = 0; number > 0 && i < d->npoints; i++)
		if (rank < d->size && d->points[i].planted[rank] == number)
			return &d->points[i];
	return NULL;
}

void hb__d_reached(hb_debug *d, int32_t rank, hb_action_point *p)
{
	hb_error err = {0};
	p->hits++;
	if (p->kind == HB_POINT_BARRIER || p->once)
		hb_set_add(&p->reached, rank);
	if (hb_set_count(&p->stop) && hb_session_halt(hb__live_session(d->live), &p->stop, &err))
		hb__d_fail(d, 0, "%s", err.message);
}

/* Those of the barrier that are still to come. */
static void missing(hb_debug *d, const hb_action_point *p, hb_set *ret)
{
	hb__d_init(d, ret);
	for (int32_t i = hb_set_next(&p->set, 0); i >= 0; i = hb_set_next(&p->set, i + 1)) {
		const hb_proc *proc = hb_session_proc(hb__live_session(d->live), i);
		bool ended = proc && (proc->life == HB_LIFE_EXITED || proc->life == HB_LIFE_DEAD);
		if (!ended && !hb_set_has(&p->reached, i))
			hb_set_add(ret, i);
	}
}

bool hb__d_at_barrier(hb_debug *d, int32_t rank, hb_set *ret_missing, int *ret_number)
{
	for (size_t i = 0; i < d->npoints; i++) {
		hb_action_point *p = &d->points[i];
		if (p->kind != HB_POINT_BARRIER || p->disabled || !hb_set_has(&p->reached, rank))
			continue;
		missing(d, p, ret_missing);
		if (hb_set_count(ret_missing)) {
			*ret_number = p->number;
			return true;
		}
		hb_set_free(ret_missing);
		hb_set_remove(
			&p->reached, rank); /* all have been there: it may pass, and the others when they are let go */
		hb_set none;
		hb__d_init(d, &none);
		hb_set_copy(&p->reached, &none);
		hb_set_free(&none);
	}
	return false;
}

/* ---- listing and changing ---- */

static void print_point(hb_debug *d, const hb_action_point *p)
{
	if (d->settings.json) {
		char *what = hb__d_json(p->what), *condition = hb__d_json(p->condition);
		const char *set = hb__d_set_name(d, &p->set);
		hb__d_print(d,
			"{\"answer\":\"action\",\"number\":%d,\"kind\":\"%s\",\"set\":\"%.*s\",\"what\":%s,\"condition\":%s,"
			"\"count\":%u,\"enabled\":%s,\"hits\":%llu}\n",
			p->number, kinds[p->kind], (int)strlen(set) - 2, set + 1, what,
			p->condition ? condition : "null", p->count, p->disabled ? "false" : "true",
			(unsigned long long)p->hits);
		free(what);
		free(condition);
		return;
	}
	hb__d_print(d, "%3d  %-8s %s %s", p->number, kinds[p->kind], hb__d_set_name(d, &p->set), p->what);
	if (p->condition)
		hb__d_print(d, "  if %s", p->condition);
	if (p->count > 1)
		hb__d_print(d, "  from the %u. time on", p->count);
	if (hb_set_count(&p->stop))
		hb__d_print(d, "  stops %s", hb__d_set_name(d, &p->stop));
	if (p->once)
		hb__d_print(d, "  once");
	if (p->hits)
		hb__d_print(d, "  stopped %llu %s", (unsigned long long)p->hits, hb__plural(p->hits, "time", "times"));
	hb_set wait;
	if (p->kind == HB_POINT_BARRIER && hb_set_count(&p->reached)) {
		missing(d, p, &wait);
		hb__d_print(d, "  %s wait for %s", hb__d_set_name(d, &p->reached), hb__d_set_name(d, &wait));
		hb_set_free(&wait);
	}
	hb__d_print(d, "%s\n", p->disabled ? "  (disabled)" : "");
}

enum change { LIST, ENABLE, DISABLE, DELETE };

static void change(hb_debug *d, hb_action_point *p, enum change what)
{
	if (what == LIST) {
		print_point(d, p);
		return;
	}
	hb__d_change_planted(d, p, what == DELETE ? -1 : what == ENABLE);
	p->disabled = what == DISABLE;
	if (what == DELETE)
		hb__d_drop_point(d, p);
}

static int each(hb_debug *d, const char *verb, char *args, enum change what)
{
	char *word = hb__d_word(&args);
	int code = 0;
	if (!word && what != LIST)
		return hb__d_fail(d, HB_EXIT_USAGE,
			"%s takes numbers of breakpoints, barriers or watchpoints (actions lists them), or *", verb);
	if (!word || !strcmp(word, "*")) {
		for (size_t i = d->npoints; i-- > 0;)
			if (what != LIST)
				change(d, &d->points[i], what);
		for (size_t i = 0; what == LIST && i < d->npoints; i++)
			print_point(d, &d->points[i]);
		if (what == LIST && !d->npoints)
			hb__d_note(d, "no breakpoints, barriers or watchpoints");
		return 0;
	}
	for (; word; word = hb__d_word(&args)) {
		hb_action_point *p = find(d, (int)hb__d_number(word));
		if (p)
			change(d, p, what);
		else
			code = hb__d_fail(d, HB_EXIT_USAGE,
				"there is no breakpoint, barrier or watchpoint %s; actions lists them", word);
	}
	int failed = hb__d_replies(d, verb);
	return code ? code : failed;
}

int hb__v_actions(hb_debug *d, char *args) { return each(d, "actions", args, LIST); }
int hb__v_enable(hb_debug *d, char *args) { return each(d, "enable", args, ENABLE); }
int hb__v_disable(hb_debug *d, char *args) { return each(d, "disable", args, DISABLE); }
int hb__v_delete(hb_debug *d, char *args) { return each(d, "delete", args, DELETE); }
