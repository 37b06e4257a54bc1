/* written: back to the store that last changed a variable, as one command. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "alone.h"

/* The stack where it stands, in words. */
struct stack {
	char *text, *json;
	char *inner;  /* its innermost frame of the program */
	char *called; /* the function that this one has called; empty: none */
};

static void read_stack(hb_debug *d, hb_gdb *gdb, struct stack *ret)
{
	hb_frames frames;
	*ret = (struct stack){hb__copy(""), hb__copy(""), NULL, hb__copy("")};
	if (!hb__d_frames(d, 0, gdb, &frames, NULL))
		return;
	for (size_t i = 0; i < frames.nown && (long)i < d->settings.frames; i++) {
		char *frame = hb__d_frame_text(&frames.all[frames.own[i]]), *quoted = hb__d_json(frame);
		char *more = hb__format("%s\n#%zu  %s", ret->text, i, frame);
		char *longer = hb__format("%s%s%s", ret->json, i ? "," : "", quoted);
		free(ret->text);
		free(ret->json);
		free(quoted);
		ret->text = more;
		ret->json = longer;
		if (i)
			free(frame);
		else
			ret->inner = frame;
	}
	if (frames.nown && frames.own[0]) {
		free(ret->called);
		ret->called = hb__copy(frames.all[frames.own[0] - 1].function);
	}
	hb__d_frames_free(&frames);
}

/* The call of the event that it is inside of: it is the one that the program has called. NULL: it is in none. Free it. */
static char *call_inside(hb_debug *d, const struct stack *s)
{
	hb_at at;
	if (!*s->called || !d->run.model || !hb__d_stands_at(d, 0, &at) ||
		at.event >= hb_model_lines(d->run.model)[at.line].events)
		return NULL;
	at.event++;
	char *call = hb__d_call(d, at);
	size_t n = call ? strcspn(call, " ") : 0;
	/* by its other name, or as Fortran calls it */
	const char *called = s->called + (strncasecmp(s->called, "pmpi", 4) == 0);
	if (n && !strncasecmp(call, called, n))
		return call;
	free(call);
	return NULL;
}

/* It stands before the store. */
static void tell_store(hb_debug *d, const hb_proc *p, const hb_gdb_stop *s, hb_gdb *gdb, const char *what)
{
	struct stack stack;
	read_stack(d, gdb, &stack);
	char *call = call_inside(d, &stack), *name = hb__d_event_name(d, 0, 0, p->stand.event + (call != NULL));
	char *old = hb__d_json(s->old_value), *new = hb__d_json(s->new_value), *expression = hb__d_json(what),
	     *where = hb__d_json(stack.inner ? stack.inner : "");
	hb__d_reply(d, 0, false,
		hb__format(
			"\"expression\":%s,\"old\":%s,\"new\":%s,\"where\":%s,\"event\":%llu,\"inside\":%s,\"frames\":[%s]",
			expression, old, new, where, (unsigned long long)p->stand.event, call ? "true" : "false",
			stack.json),
		"%s was %s, and became %s in %s, %s %s%s%s%s", what, s->old_value, s->new_value,
		stack.inner ? stack.inner : "?", call ? "inside" : "after", name, call ? "  " : "", call ? call : "",
		stack.text);
	free(old);
	free(new);
	free(expression);
	free(where);
	free(stack.text);
	free(stack.json);
	free(stack.inner);
	free(stack.called);
	free(call);
	free(name);
}

/* The memory of what is looked for, wherever it is asked for: NULL: gdb does not tell. */
struct memory {
	uint64_t address;
	int size;
	char *where; /* a command of gdb */
	char *now;   /* its answer where the search begins */
};

static char *asked(hb_gdb *gdb, uint32_t level, const char *command)
{
	char *answer = NULL;
	return hb_gdb_command(gdb, 0, level, command, &answer, NULL) ? NULL : answer;
}

static void remember(hb_gdb *gdb, uint32_t level, const char *what, struct memory *ret)
{
	char *address = hb__format("output/x &(%s)", what), *length = hb__format("output/d sizeof(%s)", what);
	char *at = asked(gdb, level, address), *size = asked(gdb, level, length);
	*ret = (struct memory){0};
	if (at && size && strtoull(at, NULL, 0) && atoi(size) > 0) {
		ret->address = strtoull(at, NULL, 0);
		ret->size = atoi(size);
		ret->where = hb__format("x/%dxb %llu", ret->size, (unsigned long long)ret->address);
		ret->now = asked(gdb, 0, ret->where);
	}
	free(address);
	free(length);
	free(at);
	free(size);
}

/* What stands behind the addresses, which gdb may write with a symbol or without. */
static bool is_as_before(hb_gdb *gdb, const struct memory *m)
{
	char *now = m->now ? asked(gdb, 0, m->where) : NULL;
	bool same = !m->now || (now && !strcmp(now, m->now));
	free(now);
	return same;
}

static bool is_event(hb_debug *d, uint64_t event)
{
	hb_at at;
	return !d->run.model || !hb__d_stands_at(d, 0, &at) || event <= hb_model_lines(d->run.model)[at.line].events;
}

/* The last change was none of the program's: the system wrote there. Between which events, halving: in *low it was another one. */
static int find_unseen(hb_debug *d, hb_gdb *gdb, const struct memory *m, const char *what, uint64_t low, uint64_t high)
{
	hb_session *session = hb__live_session(d->live);
	char where[24];
	while (low + 1 < high && !hb__d_interrupted()) {
		uint64_t middle = low + (high - low) / 2;
		snprintf(where, sizeof where, "%llu", (unsigned long long)middle);
		if (hb_session_jump(session, where, NULL, NULL, NULL))
			return HB_EXIT_FINDING;
		*(is_as_before(gdb, m) ? &high : &low) = middle;
	}
	snprintf(where, sizeof where, "%llu", (unsigned long long)low);
	hb_session_jump(session, where, NULL, NULL, NULL);
	hb__d_poll(d, 0);
	char *name = hb__d_event_name(d, 0, 0, low);
	char *next = is_event(d, low + 1) ? hb__d_event_name(d, 0, 0, low + 1) : hb__copy("the end");
	hb__d_reply(d, 0, false, hb__format("\"after\":%llu,\"system\":true", (unsigned long long)low),
		"%s was changed by the system, as by a read, between %s and %s: a watchpoint does not see that; it is after %s now",
		what, name, next, name);
	free(name);
	free(next);
	return 0;
}

/* It stands before a store: whether that made the value that was there where the search began. */
static bool made_it(hb_debug *d, hb_gdb *gdb, const struct memory *m)
{
	bool made = hb__d_go_and_wait(d, HB_GDB_STEPI, 0, 1, d->settings.timeout) || is_as_before(gdb, m);
	hb__d_go_and_wait(d, HB_GDB_BACK_STEPI, 0, 1, d->settings.timeout);
	return made;
}

static int find_store(hb_debug *d, hb_gdb *gdb, const char *what, int number, const struct memory *m)
{
	const hb_proc *p = hb_session_proc(hb__live_session(d->live), 0);
	char *answer = NULL, here[24] = "END";
	uint64_t high = p->stand.event + !hb__d_at_event(p);
	/* where it can be gone back to; anywhere else between two events there is nothing but stores to look for */
	bool known = p->stand.end || hb__d_at_event(p);
	if (!p->stand.end)
		snprintf(here, sizeof here, "%llu", (unsigned long long)p->stand.event);
	hb__d_mute(d, gdb, true);
	/* where there is no store it stays where it is */
	hb_gdb_command(gdb, 0, 0, "monitor stay", &answer, NULL);
	free(answer);
	int code = hb__d_go_and_wait(d, HB_GDB_BACK_CONTINUE, 0, 1, d->settings.timeout);
	hb_gdb_stop stop = p->broken;
	bool found = !code && p->life == HB_LIFE_BROKEN && stop.reason == HB_GDB_WATCHPOINT && stop.number == number;
	hb_gdb_delete(gdb, number, NULL);
	bool failed = !code && p->stand.failed;
	bool made = found && made_it(d, gdb, m);
	hb__d_mute(d, gdb, false);
	if (failed)
		return hb__d_fail(d, HB_EXIT_FINDING,
			"written: who wrote %s last is not known: the process could not be gone back over; it stays where it was",
			what);
	if (code || p->life != HB_LIFE_BROKEN)
		return code ? code : HB_EXIT_FINDING;
	if (made) {
		tell_store(d, p, &stop, gdb, what);
		return 0;
	}
	if (found)
		return find_unseen(d, gdb, m, what, p->stand.event, high);
	if (known && high > 1) {
		code = hb_session_jump(hb__live_session(d->live), "1", NULL, NULL, NULL) ? HB_EXIT_FINDING : 0;
		if (!code && !is_as_before(gdb, m))
			return find_unseen(d, gdb, m, what, 1, high);
		hb_session_jump(hb__live_session(d->live), here, NULL, NULL, NULL);
	}
	hb__d_reply(d, 0, true, NULL,
		"no store of the program has changed %s since the process began: it stays where it was", what);
	return 0;
}

/* The place in C, for gdb watches no places of Fortran's. Free it. */
static char *place_in_c(hb_gdb *gdb, uint32_t level, const char *what, const struct memory *m)
{
	char *command = hb__format("whatis %s", what), *type = asked(gdb, level, command), *text;
	bool real = type && strstr(type, "real");
	const char *c = real && m->size == 8   ? "double"
			: real && m->size == 4 ? "float"
			: m->size == 8         ? "long"
			: m->size == 4         ? "int"
			: m->size == 2         ? "short"
					       : NULL;
	if (c)
		text = hb__format("*(%s *) %llu", c, (unsigned long long)m->address);
	else
		text = hb__format("*(char (*)[%d]) %llu", m->size, (unsigned long long)m->address);
	free(command);
	free(type);
	return text;
}

static hb_status watch(
	hb_gdb *gdb, uint32_t level, const char *what, const struct memory *m, int *ret_number, hb_error *err)
{
	char *language = asked(gdb, level, "show language");
	bool fortran = language && strstr(language, "fortran") && m->size;
	char *place = fortran ? place_in_c(gdb, level, what, m) : NULL;
	hb_status status = hb_gdb_watch_place(gdb, 0, level, place ? place : what, place != NULL, ret_number, err);
	free(language);
	free(place);
	return status;
}

int hb__v_written(hb_debug *d, char *args)
{
	int code = hb__d_need_one(d, "written"), number;
	hb_frame frame;
	hb_error err = {0};
	if (code)
		return code;
	if (!*args)
		return hb__d_fail(d, HB_EXIT_USAGE,
			"written takes a variable or another place in memory, as in written rod.sensor");
	hb_gdb *gdb = hb__d_gdb_of(d);
	if (!gdb)
		return HB_EXIT_FINDING;
	if (!hb__d_chosen(d, 0, gdb, &frame))
		return hb__d_replies(d, "written");
	struct memory m;
	remember(gdb, frame.level, args, &m);
	if (watch(gdb, frame.level, args, &m, &number, &err))
		code = hb__d_fail(d, HB_EXIT_FINDING, "%s", err.message);
	else
		code = find_store(d, gdb, args, number, &m);
	free(m.where);
	free(m.now);
	int failed = hb__d_replies(d, "written");
	return code ? code : failed;
}
