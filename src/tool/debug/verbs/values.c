/* what, print, assign, expect, gdb */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "../debug.h"

#define EXPECT_S 1.5 /* for a state to come about */

struct asked {
	const char *text;  /* expression, or command of gdb */
	const char *show;  /* what stands before the value; NULL: nothing */
	const char *strip; /* what gdb puts before the answer, taken away; NULL: nothing */
	bool command;
};

static void ask(hb_debug *d, int32_t rank, hb_gdb *gdb, void *user)
{
	const struct asked *a = user;
	hb_frame frame;
	hb_error err = {0};
	char *value = NULL;
	if (!hb__d_chosen(d, rank, gdb, &frame))
		return;
	hb_status status = a->command ? hb_gdb_command(gdb, rank, frame.level, a->text, &value, &err)
				      : hb_gdb_evaluate(gdb, rank, frame.level, a->text, &value, &err);
	if (status) {
		hb__d_reply(d, rank, true, NULL, "%s", err.message);
		free(value);
		return;
	}
	char *text = hb__d_trim(value), *equals = a->strip ? strstr(text, a->strip) : NULL;
	if (equals)
		text = equals + strlen(a->strip);
	char *expression = a->show ? hb__d_json(a->show) : NULL, *quoted = hb__d_json(text);
	hb__d_reply(d, rank, false,
		expression ? hb__format("\"expression\":%s,\"value\":%s", expression, quoted)
			   : hb__format("\"text\":%s", quoted),
		"%s%s%s", a->show ? a->show : "", a->show ? " = " : "", text);
	free(expression);
	free(quoted);
	free(value);
}

static int ask_all(hb_debug *d, const char *verb, struct asked *a)
{
	hb__d_poll(d, 0);
	hb__d_look(d, &d->set, ask, a);
	return hb__d_replies(d, verb);
}

/* ---- variables ---- */

static void variables(hb_debug *d, int32_t rank, hb_gdb *gdb, void *user)
{
	(void)user;
	hb_frame frame;
	hb_variable *v;
	size_t n;
	hb_error err = {0};
	if (!hb__d_chosen(d, rank, gdb, &frame))
		return;
	if (hb_gdb_variables(gdb, rank, frame.level, &v, &n, &err)) {
		hb__d_reply(d, rank, true, NULL, "%s", err.message);
		return;
	}
	if (!n)
		hb__d_reply(d, rank, false, NULL, "no variables");
	for (size_t i = 0; i < n; i++) {
		const char *value = v[i].value ? v[i].value : "?";
		char *name = hb__d_json(v[i].name), *type = hb__d_json(v[i].type), *quoted = hb__d_json(value);
		hb__d_reply(d, rank, false,
			hb__format("\"expression\":%s,\"type\":%s,\"value\":%s", name, type, quoted), "%s = %s",
			v[i].name, value);
		free(name);
		free(type);
		free(quoted);
	}
	hb_gdb_free_variables(v, n);
}

int hb__v_print(hb_debug *d, char *args)
{
	if (!*args) {
		hb__d_poll(d, 0);
		hb__d_look(d, &d->set, variables, NULL);
		return hb__d_replies(d, "print");
	}
	if (*args != '/')
		return ask_all(d, "print", &(struct asked){.text = args, .show = args});
	/* print/x n: the format is gdb's business; it answers "$1 = 0x5" */
	char *command = hb__format("print%s", args);
	args += strcspn(args, " \t");
	int code = ask_all(d, "print", &(struct asked){command, hb__d_trim(args), " = ", true});
	free(command);
	return code;
}

int hb__v_what(hb_debug *d, char *args)
{
	if (!*args)
		return hb__d_fail(d, HB_EXIT_USAGE, "what takes an expression, as in what results[0]");
	char *command = hb__format("whatis %s", args);
	int code = ask_all(d, "what", &(struct asked){command, args, "type = ", true});
	free(command);
	return code;
}

int hb__v_gdb(hb_debug *d, char *args)
{
	if (!*args)
		return hb__d_fail(d, HB_EXIT_USAGE, "gdb takes a gdb command, as in gdb info registers");
	return ask_all(d, "gdb", &(struct asked){.text = args, .command = true});
}

/* assign VAR EXPR, also with = between them. VAR ends at a blank outside of brackets. */
int hb__v_assign(hb_debug *d, char *args)
{
	int open = 0;
	char *p = args;
	for (; *p && (open || (*p != ' ' && *p != '\t' && *p != '=')); p++)
		open += (*p == '[' || *p == '(') - (*p == ']' || *p == ')');
	char *value = p + strspn(p, " \t");
	if (*value == '=')
		value++;
	value = hb__d_trim(value);
	if (p == args || !*value)
		return hb__d_fail(d, HB_EXIT_USAGE, "assign takes a variable and a value, as in assign n 5");
	char *name = hb__format("%.*s", (int)(p - args), args), *text = hb__format("%s = (%s)", name, value);
	int code = ask_all(d, "assign", &(struct asked){.text = text, .show = name});
	free(name);
	free(text);
	return code;
}

/* ---- expect ---- */

/* The place of == or != outside of brackets and quotes. */
static char *comparison(char *text)
{
	int open = 0;
	char quote = 0;
	for (char *p = text; *p; p++) {
		if (quote)
			quote = *p == quote ? 0 : quote;
		else if (*p == '"' || *p == '\'')
			quote = *p;
		else if (strchr("([{", *p))
			open++;
		else if (strchr(")]}", *p))
			open--;
		else if (!open && (*p == '=' || *p == '!') && p[1] == '=')
			return p;
	}
	return NULL;
}

struct expected {
	char *whole, *left, *right; /* left NULL: no comparison, the value must not be 0 */
	bool not ;
};

static bool is_true(const char *value)
{
	return strcmp(value, "0") && strcmp(value, "false") && strcmp(value, "0x0") && strcmp(value, ".FALSE.");
}

static void expect(hb_debug *d, int32_t rank, hb_gdb *gdb, void *user)
{
	const struct expected *e = user;
	hb_frame frame;
	hb_error err = {0};
	char *left = NULL, *value = NULL;
	if (!hb__d_chosen(d, rank, gdb, &frame))
		return;
	if (e->left && hb_gdb_evaluate(gdb, rank, frame.level, e->left, &left, &err)) {
		hb__d_reply(d, rank, true, NULL, "%s", err.message);
		return;
	}
	/* what gdb writes may be compared as it is; else the program's own == decides */
	bool same = left && !strcmp(left, e->right), good = e->not ? !same : same;
	if (!same || e->not ) {
		if (!hb_gdb_evaluate(gdb, rank, frame.level, e->whole, &value, &err))
			good = is_true(value);
		else if (!e->left) {
			hb__d_reply(d, rank, true, NULL, "%s", err.message);
			return;
		}
	}
	if (good)
		hb__d_reply(d, rank, false, NULL, "%s, as expected", e->whole);
	else if (left)
		hb__d_reply(d, rank, true, NULL, "%s is %s, but expected: %s", e->left, left, e->whole);
	else
		hb__d_reply(d, rank, true, NULL, "%s is %s, which is not as expected", e->whole, value);
	free(left);
	free(value);
}

static bool all_are(hb_debug *d, const char *word)
{
	for (int32_t i = hb_set_next(&d->set, 0); i >= 0; i = hb_set_next(&d->set, i + 1))
		if (hb__d_is(d, i, word) <= 0)
			return false;
	return true;
}

static int expect_state(hb_debug *d, const char *word)
{
	if (hb__d_is(d, 0, word) < 0)
		return hb__d_fail(d, HB_EXIT_USAGE, "there is no state %s; viewset lists all states", word);
	/* who was looked at a moment ago counts as blocked again when it has not moved for a while */
	for (double end = hb_seconds() + EXPECT_S; !all_are(d, word) && hb_seconds() < end && !hb__d_interrupted();)
		hb__d_poll(d, 20);
	for (int32_t i = hb_set_next(&d->set, 0); i >= 0; i = hb_set_next(&d->set, i + 1)) {
		char *text = hb__d_state(d, i, NULL);
		bool good = hb__d_is(d, i, word) > 0;
		hb__d_reply(d, i, !good, NULL, good ? "%s%s" : "is not %s: %s", word, good ? ", as expected" : text);
		free(text);
	}
	return hb__d_replies(d, "expect");
}

/* Whether each process of the set stands after this event. */
static int expect_after(hb_debug *d, const char *event)
{
	int32_t rank;
	uint32_t lane;
	uint64_t number;
	if (!strchr(event, ':'))
		return hb__d_fail(d, HB_EXIT_USAGE, "expect after takes an event, as in expect after 0:17");
	int code = hb__d_live_event(d, event, &rank, &lane, &number);
	if (code)
		return code;
	const hb_proc *p = hb_session_proc(hb__live_session(d->live), rank);
	char *text = hb__d_state(d, rank, NULL);
	bool good = lane ? lane < p->nthreads && p->threads[lane].event == number : hb__d_event_of(p) == number;
	hb__d_reply(d, rank, !good, NULL, good ? "after %s, as expected%s" : "is not after %s: %s", event,
		good ? "" : text);
	free(text);
	return hb__d_replies(d, "expect");
}

static int expect_of_set(hb_debug *d, char *args)
{
	hb_set old = d->set, set;
	char *text = hb__d_set_text(&args);
	if (!text)
		return hb__d_fail(d, HB_EXIT_USAGE, "the set of processes has no closing ]");
	int code = hb__d_set(d, text, &set);
	if (!code) {
		d->set = set;
		code = hb__v_expect(d, hb__d_trim(args));
		d->set = old;
	}
	hb_set_free(&set);
	return code;
}

int hb__v_expect(hb_debug *d, char *args)
{
	hb__d_poll(d, 0);
	if (*args == '[') /* no expression of C begins so: a set */
		return expect_of_set(d, args);
	if (!strncmp(args, "is ", 3))
		return expect_state(d, hb__d_trim(args + 3));
	if (!strncmp(args, "after ", 6))
		return expect_after(d, hb__d_trim(args + 6));
	if (!*args)
		return hb__d_fail(d, HB_EXIT_USAGE, "expect takes a condition, as in expect n == 5 or expect is held");
	char *copy = hb__copy(args), *at = comparison(copy);
	struct expected e = {.whole = args};
	if (at) {
		e.not = *at == '!';
		*at = 0;
		e.left = hb__d_trim(copy);
		e.right = hb__d_trim(at + 2);
	}
	hb__d_look(d, &d->set, expect, &e);
	free(copy);
	return hb__d_replies(d, "expect");
}
