/* Models that are wrong, each with what is said of it; values; clauses; roles and parameters. */
#include "history.h"

#define HEAD "model m\nmessage a(k) = mpi, k = tag\naction x(k) = span x, k = task\n"

/* ---- what is wrong with a model ---- */

static const struct {
	const char *text, *says;
} bad[] = {
	{"", "m:1:1: nothing in it: a model begins with its name: model NAME"},
	{"run = nothing", "m:1:1: a model begins with its name: model NAME"},
	{"model m\n", "m:2:1: the model says nothing of the run: run = PATTERN is missing"},
	{"  model m\n", "m:1:3: a declaration begins in the first column of a line"},
	{"model m\nmodel n\n", "m:2:1: a file has one model"},
	{"model m\nlet a = $\n", "m:2:9: no model has the sign $ here"},
	{"model m\nlet a = \"b\n", "m:2:9: the text has no end: \" is missing in this line"},
	{"model m\nlet a = 99999999999999999999\n", "m:2:9: the number is too large: at most 2^63 - 1"},
	{"model m\nlet a = 3x\n", "m:2:9: a name begins with a letter: put a space behind the number"},
	{"model m\nlet a = 1 +\nrun = nothing\n",
		"m:3:1: expected a value, found the next declaration (what goes on in a new line must be indented)"},
	{"model m\nlet a = 1\nlet a = 2\n", "m:3:5: a is declared in line 2 already"},
	{"model m\nlet size = 1\n", "m:2:5: size is a word of the language: take another name"},
	{"model m\nlet a = b\nrun = nothing\n", "m:2:9: no value b here: define it by let b = ..., or bind it"},
	{"model m\nlet a = b\nlet b = a\nrun = nothing\n",
		"m:2:1: a is defined by itself: give it a value that does not need it"},
	{"model m\nlet a = 1 / 0\nrun = nothing\n", "m:2:11: division by zero"},
	{"model m\nlet a = 9223372036854775807 + 1\nrun = nothing\n", "m:2:29: the number is too large"},
	{"model m\nlet a = {1} + 1\nrun = nothing\n", "m:2:13: a number wanted, not a set"},
	{"model m\nlet a = len(1)\nrun = nothing\n", "m:2:9: a text wanted, not a number"},
	{"model m\nlet a = {0 .. 99999999}\nrun = nothing\n", "m:2:9: a set of more than 1000000 numbers"},
	{"model m\nlet f(a) = f(a + 1)\nlet b = f(1)\nrun = nothing\n",
		"m:2:14: functions that use each other more than 3000 deep: do they come to an end?"},
	{"model m\nlet a = process(\"q\")\nrun = nothing\n", "m:2:9: no process is called q: hbdb info lists them"},
	{"model m\nlet f(a) = a\nlet b = f(1, 2)\nrun = nothing\n", "m:3:9: f has 1 parameter (line 2), not 2"},
	{"model m\nmessage a(k) = mpi\nrun = nothing\n", "m:2:1: nothing says what the key k of a is: add k = VALUE"},
	{"model m\nmessage a() = span s\nrun = nothing\n",
		"m:2:15: expected where a message comes from: mpi, channel, events, found span"},
	{"model m\naction a() = span s, to = 1\nrun = nothing\n", "m:2:22: to belongs to messages: a is an action"},
	{"model m\nmessage a() = mpi, q = 1\nrun = nothing\n",
		"m:2:20: q is no key of a (line 2), and no clause: KEY = VALUE, where, to, from, in"},
	{"model m\nmessage a() = mpi, where 1, where 2\nrun = nothing\n", "m:2:29: where stands here twice"},
	{HEAD "run = 0 -> 1: b(1)\n", "m:4:15: no message b: declare it by message b(...) = ..."},
	{HEAD "run = 0 -> 1: x(1)\n", "m:4:15: x is an action (line 3): write A: x(...)"},
	{HEAD "run = 0: a(1)\n", "m:4:10: a is a message (line 2): write A -> B: a(...)"},
	{HEAD "run = 0: x(1, 2)\n", "m:4:10: x has 1 key (line 3), not 2"},
	{HEAD "run = x(1)\n", "m:4:7: no pattern x: define it by x(...) = ...; who does it stands before it: A: x"},
	{HEAD "f(p) = p: x(1)\nrun = f(1, 2)\n", "m:5:7: f has 1 parameter (line 4), not 2"},
	{HEAD "run = (0: x(1)\n", "m:5:1: expected ) behind the pattern, found the end of the file"},
	{HEAD "run = loop 0: x(1)\n", "m:4:12: expected { around what a loop repeats, found 0"},
	{HEAD "run = any p {1}: p: x(1)\n", "m:4:13: expected in and a set, found {"},
	{HEAD "run = 0: x(1); each t: 0: x(t)\n",
		"m:4:16: each stands at the outermost place of run only; several: (each k: X) || (each l: Y)"},
	{HEAD "run = each t: 0: x(1)\n",
		"m:4:18: x does not carry the key t of `each` (line 4) at the same place everywhere"},
	{HEAD "f(p, k) = p: x(k)\nrun = each t: f(0, t); f(1, 2)\n",
		"m:4:14: x does not carry the key t of `each` (line 5) at the same place everywhere"},
	{HEAD "run = (each t: 0: x(t)) || (each u: 0: x(u))\n",
		"m:4:40: x stands in two parts of run (also in line 4): an interaction belongs to one `each`"},
	{HEAD "run = when 1: 0: x(1) | 0: x(2)\n",
		"m:4:23: an alternative behind `when` belongs to it (line 4): write (when ...: X) | Y, or when ...: (X | Y)"},
	{HEAD "f(p) = p: x(1); f(p)\nrun = f(0)\n",
		"m:4:1: f never comes to an end: each way through it leads to itself again; add an alternative that does not"},
	{HEAD "run = 0: x(1) 0: x(2)\n", "m:4:15: expected the end of the declaration, found 0"},
	{HEAD "run = 0: x(k)\n", "m:4:12: no value k here: define it by let k = ..., or bind it"},
};

static void bad_models(void)
{
	hb_pattern_world world = {.processes = 4};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		hb_error err = {0};
		hb_pattern *p = NULL;
		hb_status status = hb_pattern_parse("m", bad[i].text, &world, &p, &err);
		if (!check(status == HB_E_DAMAGED && !strcmp(err.message, bad[i].says), "%s", bad[i].says))
			printf("# status %d, %s\n", status, err.message);
		hb_pattern_close(p);
	}
}

/* ---- what is wrong only when events come, or before the first ---- */

static void late(const char *text, const char *history, const char *says)
{
	char whole[1024];
	hb_error err = {0};
	hb_pattern_check *c = NULL;
	snprintf(whole, sizeof whole, HEAD "%s", text);
	hb_pattern *p = history_model("m", whole, 4);
	if (!p)
		return;
	if (history) {
		history_says(p, history, says, says);
	} else {
		if (!check(hb_pattern_begin(p, NULL, NULL, &c, &err) == HB_E_DAMAGED && !strcmp(err.message, says),
			    "%s", says))
			printf("# %s\n", err.message);
		hb_pattern_check_close(c);
	}
	hb_pattern_close(p);
}

static void late_mistakes(void)
{
	late("run = 7: x(1)\n", NULL,
		"m:4:7: there is no process 7: there are 4, from 0 on; `any` over a set or `when` can leave it out");
	late("run = when 0: 0: x(1)\n", NULL,
		"m:4:1: no run can fit: conditions and sets leave no way through the pattern");
	late("f() = nothing | f(); 0: x(1)\nrun = f()\n", NULL,
		"m:4:17: f calls itself again and again, and no event must come before: use a loop, or let an event stand first");
	late("f(d) = 0: x(d); (when d < 0: nothing) | when 0 == d: f(d)\nrun = f(0)\n", NULL,
		"m:5:1: no run can fit: conditions and sets leave no way through the pattern");
	late("f(d) = (when d >= 0: 0: x(d); f(d + 1)) | (when d < 0: 0: x(d))\nrun = f(0)\n", NULL,
		"m:4:31: f calls itself more than 1500 deep: do its arguments run out?");
	late("run = each t: (t - 5): x(t)\n", "0( x 9",
		"error: m:4:18: there is no process 4: there are 4, from 0 on; `any` over a set or "
		"`when` can leave it out\nt 9: stopped\n");
	late("run = 0: x({1})\n", NULL, "m:4:10: key 1 of x is a set here: a number or a text wanted");
}

/* ---- values ---- */

static const char *const equal[] = {"1 + 2 * 3 == 7", "(1 + 2) * 3 == 9", "7 / 2 == 3 && 7 % 4 == 3", "-3 + 1 == -2",
	"1 < 2 && !(2 < 1)", "0 || 1", "1 ? 2 == 2 : 1 / 0", "0 && 1 / 0 || 1", "{1, 2, 2} == {2, 1}",
	"{1 .. 3} & {2 .. 9} == {2, 3}", "{1 .. 3} \\ {2} == {1, 3}", "{} == {3 .. 2}", "count({4 .. 7}) == 4",
	"\"a\" . \"b\" == \"ab\"", "\"0\" . 1 == \"01\"", "len(\"abc\") == 3", "min(1, 2) == 1", "max(1, 2) == 2",
	"size == 4", "f(20) == 6765", "\"a\" != \"b\"", "\"1\" != 1", "p == 5 && q == -1", "8 - 2 - 1 == 5",
	"process(\"two\") == 2", "-7 / 2 == -3 && -7 % 2 == -1", "1 <= 1 && 1 >= 1", "{1} & {1, 2} == {1} ? 1 : 0"};

static void values(void)
{
	static const char *const names[] = {"zero", "one", "two", "three"}, *const set[] = {"q"};
	static const int64_t to[] = {-1};
	hb_pattern_world world = {.processes = 4, .name = names, .nset = 1, .set_name = set, .set_value = to};
	for (size_t i = 0; i < sizeof equal / sizeof *equal; i++) {
		char text[512];
		hb_error err = {0};
		hb_pattern *p = NULL;
		hb_pattern_check *c = NULL;
		snprintf(text, sizeof text,
			"model m\nparam p = 5, q = 6\nlet f(n) = n < 2 ? n : f(n-1) + f(n-2)\nrun = when %s: nothing\n",
			equal[i]);
		bool good =
			!hb_pattern_parse("m", text, &world, &p, &err) && !hb_pattern_begin(p, NULL, NULL, &c, &err);
		if (!check(good, "%s", equal[i]))
			printf("# %s\n", err.message);
		hb_pattern_check_close(c);
		hb_pattern_close(p);
	}
	hb_error err = {0};
	hb_pattern *p = NULL;
	check(hb_pattern_parse("m", "model m\nrun = nothing\n", &world, &p, &err) == HB_E_DAMAGED &&
			!strcmp(err.message, "m: no param q to set: declare it by param q = NUMBER"),
		"a param that is not there cannot be set");
	check(hb_pattern_read("/nonexistent/m.hbm", &world, &p, &err) == HB_E_SYSTEM &&
			strstr(err.message, "/nonexistent/m.hbm"),
		"a file that is not there");
}

/* ---- clauses ---- */

/* An event with tag 5, name "abc" and the byte 7 at 4. */
static bool ask(void *user, const char *name, int64_t offset, hb_pattern_value *ret)
{
	hb_pattern *p = user;
	*ret = (hb_pattern_value){false, !strcmp(name, "tag") ? 5 : 7};
	if (!strcmp(name, "name"))
		*ret = (hb_pattern_value){true, hb_pattern_text(p, "abc")};
	return !strcmp(name, "tag") || !strcmp(name, "name") || (!strcmp(name, "byte") && offset == 4);
}

static bool says(const hb_error *err, const char *expected)
{
	if (!strcmp(err->message, expected))
		return true;
	printf("# %s\n", err->message);
	return false;
}

static void clauses(void)
{
	hb_pattern *p = history_model("m",
		"model m\nparam five = 5\nlet tag = 1\nrole worker = {1, 2}\nrole master = 0\n"
		"message a(k, l, m) = mpi, where tag == five, k = tag + 1, l = name . \"d\", m = byte(4), to = 3, from = tag\n"
		"message b(k) = mpi, where tag == 4, k = colour\n"
		"message c(k) = channel \"ring\", k = colour, in \"ring()\"\n"
		"message d(k) = events s r, k = int32(8)\n"
		"action e(k) = event made, k = worker\n"
		"run = nothing\n",
		4);
	hb_error err = {0};
	hb_pattern_value key[3];
	bool fits;
	int64_t peer;
	uint32_t n;
	char name[64];
	if (!p)
		return;
	const hb_pattern_binding *b = hb_pattern_bindings(p, &n);
	check(n == 5 && b[0].contents && !b[1].contents && b[0].nkeys == 3 && b[0].message && b[0].halves == 2 &&
			b[0].line == 6,
		"bindings: keys, contents, lines");
	check(b[2].source == HB_PATTERN_CHANNEL && !strcmp(b[2].what[0], "ring") && !strcmp(b[2].in, "ring()"),
		"a channel");
	check(b[3].source == HB_PATTERN_EVENTS && !strcmp(b[3].what[1], "r") && b[4].halves == 1, "events");
	check(!hb_pattern_bind(p, 0, HB_PATTERN_SENT, ask, p, &fits, key, &peer, &err) && fits && key[0].number == 6 &&
			key[1].text && !strcmp(hb_pattern_text_of(p, (uint32_t)key[1].number), "abcd") &&
			key[2].number == 7 && peer == 3,
		"keys of an event; a value of the event goes before a let of its name");
	check(!hb_pattern_bind(p, 0, HB_PATTERN_RECEIVED, ask, p, &fits, key, &peer, &err) && peer == -1,
		"from a process that there is not");
	check(!hb_pattern_bind(p, 1, HB_PATTERN_SENT, ask, p, &fits, key, &peer, &err) && !fits,
		"one that `where` leaves out");
	check(hb_pattern_bind(p, 2, HB_PATTERN_SENT, ask, p, &fits, key, &peer, &err) == HB_E_DAMAGED &&
			says(&err, "m:8:36: the event has no value colour"),
		"a value that the event does not have");
	check(hb_pattern_bind(p, 3, HB_PATTERN_SENT, ask, p, &fits, key, &peer, &err) == HB_E_DAMAGED &&
			says(&err, "m:9:32: no int32(8) of this message: was it recorded at level data?"),
		"contents that are not there");
	check(hb_pattern_bind(p, 4, HB_PATTERN_BEGIN, ask, p, &fits, key, &peer, &err) == HB_E_DAMAGED &&
			says(&err, "m:10:31: the key is a set here: the event has no value of this name"),
		"a key that is a set");
	check(!strcmp(hb_pattern_process(p, 2, name, sizeof name), "worker 2") &&
			!strcmp(hb_pattern_process(p, 0, name, sizeof name), "master 0") &&
			!strcmp(hb_pattern_process(p, 3, name, sizeof name), "rank 3"),
		"what processes are called");
	hb_pattern_close(p);
}

int main(void)
{
	bad_models();
	late_mistakes();
	values();
	clauses();
	return check_end();
}
